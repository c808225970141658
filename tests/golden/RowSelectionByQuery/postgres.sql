-- step 'adults': RowSelectionByQuery
CREATE VIEW "example_results"."adults" AS
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
  "age" >= CAST(18e0 AS DOUBLE PRECISION) AND "region" IN ('north', 'south');
