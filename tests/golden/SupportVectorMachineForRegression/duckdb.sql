-- step 'estimated': SupportVectorMachineForRegression
CREATE TABLE "example_results"."estimated" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE WHEN "score1" BETWEEN -1e300 AND 1e300 THEN "score1" END AS "income_estimate"
FROM (
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
    ) AS "score1"
  FROM "example_results"."Customer"
) AS "rows";
