-- step 'claims_by_customer': SpecifiedStatistics
CREATE VIEW "example_results"."claims_by_customer" AS
SELECT
  "customer_id",
  CAST(COUNT(*) AS DOUBLE PRECISION) AS "claims",
  SUM("amount") AS "amount_sum",
  CAST(COUNT("amount") AS DOUBLE PRECISION) AS "amount_count",
  CAST(COUNT("filed") AS DOUBLE PRECISION) AS "filed_count",
  CAST(COUNT(DISTINCT "kind") AS DOUBLE PRECISION) AS "kind_unique",
  CAST(COUNT(CASE WHEN "kind" = 'glass' THEN 1 END) AS DOUBLE PRECISION) AS "kind_glass",
  CAST(COUNT(CASE WHEN "kind" = 'theft' THEN 1 END) AS DOUBLE PRECISION) AS "kind_theft"
FROM "example_results"."Claim"
GROUP BY
  "customer_id";
