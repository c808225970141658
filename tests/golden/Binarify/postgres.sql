-- step 'with_regions': Binarify
CREATE VIEW "example_results"."with_regions" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "region" = 'north'
    THEN CAST(1e0 AS DOUBLE PRECISION)
    WHEN "region" <> 'north'
    THEN CAST(0e0 AS DOUBLE PRECISION)
  END AS "region_north",
  CASE
    WHEN "region" = 'south'
    THEN CAST(1e0 AS DOUBLE PRECISION)
    WHEN "region" <> 'south'
    THEN CAST(0e0 AS DOUBLE PRECISION)
  END AS "region_south"
FROM "example_results"."Customer";
