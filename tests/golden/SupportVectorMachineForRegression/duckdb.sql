-- step 'estimated': SupportVectorMachineForRegression
CREATE VIEW "example_results"."estimated" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  37998.3e0 + (
    12.0974e0 * "age" + 236.57e0 * "household"
  ) AS "income_estimate"
FROM "example_results"."Customer";
