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
) AS "rows"
WHERE
  "place" = 1e0;
