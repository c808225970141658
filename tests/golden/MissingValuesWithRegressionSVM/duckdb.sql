-- step 'guessed': MissingValuesWithRegressionSVM
CREATE TABLE "example_results"."guessed" AS
SELECT
  "customer_id",
  "age",
  COALESCE("income", "predicted") AS "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM (
  SELECT
    "customer_id",
    "age",
    "income",
    "household",
    "region",
    "since",
    "lapsed",
    "score1",
    CASE WHEN "score1" BETWEEN -1e300 AND 1e300 THEN "score1" END AS "predicted"
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
  ) AS "rows"
) AS "rows";
