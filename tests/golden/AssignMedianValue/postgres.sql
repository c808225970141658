-- step 'filled': AssignMedianValue
CREATE VIEW "example_results"."filled" AS
SELECT
  "customer_id",
  "age",
  COALESCE("income", CAST(39617.5e0 AS DOUBLE PRECISION)) AS "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM "example_results"."Customer";
