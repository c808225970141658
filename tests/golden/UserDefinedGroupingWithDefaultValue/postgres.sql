-- step 'coasts': UserDefinedGroupingWithDefaultValue
CREATE VIEW "example_results"."coasts" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "region" IN ('north', 'east')
    THEN 'coast'
    WHEN NOT "region" IS NULL
    THEN 'inland'
  END AS "coast"
FROM "example_results"."Customer";
