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
    THEN CAST(1e0 AS DOUBLE PRECISION)
    WHEN "region" = 'east'
    THEN CAST(2e0 AS DOUBLE PRECISION)
    WHEN "region" = 'north'
    THEN CAST(3e0 AS DOUBLE PRECISION)
    WHEN NOT "region" IS NULL
    THEN CAST(0e0 AS DOUBLE PRECISION)
  END AS "region_number"
FROM "example_results"."Customer";
