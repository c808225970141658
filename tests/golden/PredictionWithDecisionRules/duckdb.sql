-- step 'told': PredictionWithDecisionRules
CREATE TABLE "example_results"."told" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "age" BETWEEN -3.40282e38 AND 3.40282e38
    AND "household" BETWEEN -3.40282e38 AND 3.40282e38
    THEN CASE
      WHEN "age" > 38e0 AND "household" <= 2.5e0
      THEN 'yes'
      ELSE 'no'
    END
  END AS "foreseen"
FROM "example_results"."Customer";
