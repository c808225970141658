-- step 'region_order': OrdinalEncoding
CREATE VIEW "example_results"."region_order" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "region" = 'south'
    THEN 1e0
    WHEN "region" = 'east'
    THEN 2e0
    WHEN "region" = 'north'
    THEN 3e0
    WHEN NOT "region" IS NULL
    THEN 0e0
  END AS "region_number"
FROM "example_results"."Customer";
