-- step 'filled': MissingValueWithDecisionRules
CREATE TABLE "example_results"."filled" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  COALESCE("income", CAST(39066.2e0 AS DOUBLE PRECISION)) AS "income_known"
FROM "example_results"."Customer";
