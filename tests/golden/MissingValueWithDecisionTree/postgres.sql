-- step 'filled': MissingValueWithDecisionTree
CREATE TABLE "example_results"."filled" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  COALESCE(
    "region",
    CASE
      WHEN "age" BETWEEN -CAST(3.40282e38 AS DOUBLE PRECISION) AND CAST(3.40282e38 AS DOUBLE PRECISION)
      AND "household" BETWEEN -CAST(3.40282e38 AS DOUBLE PRECISION) AND CAST(3.40282e38 AS DOUBLE PRECISION)
      THEN CASE
        WHEN "age" > CAST(81.5e0 AS DOUBLE PRECISION)
        THEN 'north'
        WHEN "age" > CAST(71.5e0 AS DOUBLE PRECISION)
        THEN 'east'
        WHEN "age" <= CAST(38e0 AS DOUBLE PRECISION)
        THEN CASE
          WHEN "age" <= CAST(25e0 AS DOUBLE PRECISION)
          THEN 'east'
          ELSE 'south'
        END
        WHEN "household" <= CAST(1.5e0 AS DOUBLE PRECISION)
        THEN 'south'
        WHEN "household" <= CAST(4.5e0 AS DOUBLE PRECISION)
        THEN 'east'
        ELSE 'south'
      END
    END
  ) AS "region",
  "since",
  "lapsed"
FROM "example_results"."Customer";
