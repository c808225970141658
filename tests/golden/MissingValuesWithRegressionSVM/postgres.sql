-- step 'guessed': MissingValuesWithRegressionSVM
CREATE TABLE "example_results"."guessed" AS
SELECT
  "customer_id",
  "age",
  COALESCE("income", "predicted") AS "income",
  "household",
  "region",
  "since",
  "lapsed"
FROM (
  SELECT
    "customer_id",
    "age",
    "income",
    "household",
    "region",
    "since",
    "lapsed",
    "score1",
    NULLIF(
      NULLIF(
        LEAST(
          GREATEST("score1", -CAST(1e300 AS DOUBLE PRECISION)),
          CAST(1e300 AS DOUBLE PRECISION)
        ),
        CAST(1e300 AS DOUBLE PRECISION)
      ),
      -CAST(1e300 AS DOUBLE PRECISION)
    ) AS "predicted"
  FROM (
    SELECT
      "customer_id",
      "age",
      "income",
      "household",
      "region",
      "since",
      "lapsed",
      NULLIF(
        NULLIF(
          LEAST(
            GREATEST(
              (
                CAST(2.05989e-15 AS DOUBLE PRECISION) + (
                  CAST(6.55801e-19 AS DOUBLE PRECISION) * (
                    "age" + CAST(1e-200 AS DOUBLE PRECISION) - CAST(1e-200 AS DOUBLE PRECISION)
                  ) + CAST(1.28245e-17 AS DOUBLE PRECISION) * (
                    "household" + CAST(1e-200 AS DOUBLE PRECISION) - CAST(1e-200 AS DOUBLE PRECISION)
                  )
                )
              ),
              -CAST(5.42101e280 AS DOUBLE PRECISION)
            ),
            CAST(5.42101e280 AS DOUBLE PRECISION)
          ),
          CAST(5.42101e280 AS DOUBLE PRECISION)
        ),
        -CAST(5.42101e280 AS DOUBLE PRECISION)
      ) * CAST(1.84467e19 AS DOUBLE PRECISION) AS "score1"
    FROM "example_results"."Customer"
    OFFSET 0
  ) AS "rows"
  OFFSET 0
) AS "rows";
