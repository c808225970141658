-- step 'complete': DeleteRecordsWithMissingValues
CREATE VIEW "example_results"."complete" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM "example_results"."Customer"
WHERE
  NOT "income" IS NULL AND NOT "region" IS NULL;
