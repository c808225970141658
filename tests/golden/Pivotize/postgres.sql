-- step 'amounts_by_kind': Pivotize
CREATE VIEW "example_results"."amounts_by_kind" AS
SELECT
  "customer_id",
  COALESCE(SUM(CASE WHEN "kind" = 'glass' THEN "amount" END), CAST(0e0 AS DOUBLE PRECISION)) AS "amount_glass",
  COALESCE(SUM(CASE WHEN "kind" = 'theft' THEN "amount" END), CAST(0e0 AS DOUBLE PRECISION)) AS "amount_theft",
  COALESCE(SUM(CASE WHEN "kind" = 'water' THEN "amount" END), CAST(0e0 AS DOUBLE PRECISION)) AS "amount_water"
FROM "example_results"."Claim"
GROUP BY
  "customer_id";
