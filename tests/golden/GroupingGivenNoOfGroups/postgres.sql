-- step 'regions': GroupingGivenNoOfGroups
CREATE VIEW "example_results"."regions" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "region" = 'east'
    THEN 'east'
    WHEN "region" IN ('north', 'south')
    THEN 'north, south'
  END AS "region_group"
FROM "example_results"."Customer";
