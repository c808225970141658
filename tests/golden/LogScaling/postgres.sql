-- step 'log_income': LogScaling
CREATE VIEW "example_results"."log_income" AS
SELECT
  "customer_id",
  "age",
  CASE WHEN "income" > CAST(0e0 AS DOUBLE PRECISION) THEN LN("income") END / CAST(2.30259e0 AS DOUBLE PRECISION) AS "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM "example_results"."Customer";
