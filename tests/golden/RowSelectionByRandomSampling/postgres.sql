-- step 'sample': RowSelectionByRandomSampling
CREATE VIEW "example_results"."sample" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM "example_results"."Customer"
ORDER BY
  MD5(CAST("customer_id" AS TEXT) || ':sample' || ':7'),
  "customer_id"
LIMIT 1000;
