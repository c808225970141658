-- step 'distinct': RemoveDuplicates
CREATE VIEW "example_results"."distinct" AS
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
      PARTITION BY "region", "household"
      ORDER BY MD5(CAST("customer_id" AS TEXT) || ':duplicate' || ':0'), "customer_id"
    ) AS "place"
  FROM "example_results"."Customer"
  OFFSET 0
) AS "rows"
WHERE
  "place" = CAST(1e0 AS DOUBLE PRECISION);
