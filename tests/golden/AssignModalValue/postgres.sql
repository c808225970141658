-- step 'filled': AssignModalValue
CREATE VIEW "example_results"."filled" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  COALESCE("region", 'east') AS "region",
  "since",
  "lapsed"
FROM "example_results"."Customer";
