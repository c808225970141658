-- step 'kept': Materialize
CREATE TABLE "example_results"."kept" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM "example_results"."Customer";
