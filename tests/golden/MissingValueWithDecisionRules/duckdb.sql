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
  COALESCE("income", 39066.2e0) AS "income_known"
FROM "example_results"."Customer";
