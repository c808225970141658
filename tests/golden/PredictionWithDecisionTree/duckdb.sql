-- step 'told': PredictionWithDecisionTree
CREATE TABLE "example_results"."told" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE "answer"
    WHEN 1e0
    THEN 'no'
    WHEN 2e0
    THEN 'yes'
    WHEN 3e0
    THEN 'no'
    WHEN 4e0
    THEN 'no'
  END AS "foreseen",
  CASE "answer"
    WHEN 1e0
    THEN 0.166667e0
    WHEN 2e0
    THEN 1e0
    WHEN 3e0
    THEN 0.0333333e0
    WHEN 4e0
    THEN 0.5e0
  END AS "lapse_share"
FROM (
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
        WHEN "household" <= 2.5e0
        THEN CASE WHEN "age" <= 38e0 THEN 1e0 ELSE 2e0 END
        WHEN "age" <= 77.5e0
        THEN 3e0
        ELSE 4e0
      END
    END AS "answer"
  FROM "example_results"."Customer"
) AS "rows";
