-- step 'with_customer': MultiRelationalFeatureConstruction
CREATE VIEW "example_results"."with_customer" AS
SELECT
  "Claim"."claim_id",
  "Claim"."customer_id",
  "Claim"."amount",
  "Claim"."filed",
  "Claim"."kind",
  "Customer"."age",
  "Customer"."lapsed"
FROM "example_results"."Claim" AS "Claim"
LEFT JOIN "example_results"."Customer" AS "Customer"
  ON "Claim"."customer_id" = "Customer"."customer_id";
