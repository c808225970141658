-- step 'with_ratio': GenericFeatureConstruction
CREATE VIEW "example_results"."with_ratio" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  "income" / NULLIF(CAST(1e0 AS DOUBLE PRECISION) + "household", CAST(0e0 AS DOUBLE PRECISION)) AS "income_per_head"
FROM "example_results"."Customer";
