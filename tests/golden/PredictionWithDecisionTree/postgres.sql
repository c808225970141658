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
    WHEN CAST(1e0 AS DOUBLE PRECISION)
    THEN 'no'
    WHEN CAST(2e0 AS DOUBLE PRECISION)
    THEN 'yes'
    WHEN CAST(3e0 AS DOUBLE PRECISION)
    THEN 'no'
    WHEN CAST(4e0 AS DOUBLE PRECISION)
    THEN 'no'
  END AS "foreseen",
  CASE "answer"
    WHEN CAST(1e0 AS DOUBLE PRECISION)
    THEN CAST(0.166667e0 AS DOUBLE PRECISION)
    WHEN CAST(2e0 AS DOUBLE PRECISION)
    THEN CAST(1e0 AS DOUBLE PRECISION)
    WHEN CAST(3e0 AS DOUBLE PRECISION)
    THEN CAST(0.0333333e0 AS DOUBLE PRECISION)
    WHEN CAST(4e0 AS DOUBLE PRECISION)
    THEN CAST(0.5e0 AS DOUBLE PRECISION)
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
      WHEN "age" BETWEEN -CAST(3.40282e38 AS DOUBLE PRECISION) AND CAST(3.40282e38 AS DOUBLE PRECISION)
      AND "household" BETWEEN -CAST(3.40282e38 AS DOUBLE PRECISION) AND CAST(3.40282e38 AS DOUBLE PRECISION)
      THEN CASE
        WHEN "household" <= CAST(2.5e0 AS DOUBLE PRECISION)
        THEN CASE
          WHEN "age" <= CAST(38e0 AS DOUBLE PRECISION)
          THEN CAST(1e0 AS DOUBLE PRECISION)
          ELSE CAST(2e0 AS DOUBLE PRECISION)
        END
        WHEN "age" <= CAST(77.5e0 AS DOUBLE PRECISION)
        THEN CAST(3e0 AS DOUBLE PRECISION)
        ELSE CAST(4e0 AS DOUBLE PRECISION)
      END
    END AS "answer"
  FROM "example_results"."Customer"
  OFFSET 0
) AS "rows";
