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
    WHEN "age" BETWEEN -CAST(3.40282e38 AS DOUBLE PRECISION) AND CAST(3.40282e38 AS DOUBLE PRECISION)
    AND "household" BETWEEN -CAST(3.40282e38 AS DOUBLE PRECISION) AND CAST(3.40282e38 AS DOUBLE PRECISION)
    THEN CASE
      WHEN "age" > CAST(38e0 AS DOUBLE PRECISION)
      AND "household" <= CAST(2.5e0 AS DOUBLE PRECISION)
      THEN 'yes'
      ELSE 'no'
    END
  END AS "foreseen"
FROM "example_results"."Customer";
