-- step 'scaled': LinearScaling
CREATE VIEW "example_results"."scaled" AS
SELECT
  "customer_id",
  "age",
  (
    "income" - CAST(11616e0 AS DOUBLE PRECISION)
  ) * CAST(1.99275e-5 AS DOUBLE PRECISION) AS "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM "example_results"."Customer";
