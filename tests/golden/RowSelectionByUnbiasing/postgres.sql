-- step 'balanced': RowSelectionByUnbiasing
CREATE VIEW "example_results"."balanced" AS
SELECT
  "customer_id",
  "age",
  "income",
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
    ROW_NUMBER() OVER (
      PARTITION BY "lapsed"
      ORDER BY MD5(CAST("customer_id" AS TEXT) || ':class' || ':7'), "customer_id"
    ) AS "place"
  FROM "example_results"."Customer"
  WHERE
    NOT "lapsed" IS NULL
  OFFSET 0
) AS "rows"
WHERE
  "place" <= CAST(20e0 AS DOUBLE PRECISION);
