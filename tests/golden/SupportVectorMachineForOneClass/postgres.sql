-- step 'watched': SupportVectorMachineForOneClass: watched.support_vectors
CREATE TABLE "example_results"."watched.support_vectors" AS
SELECT
  "position",
  "part",
  "c1",
  "x1",
  "x2",
  "x3",
  "x4",
  "x5"
FROM (VALUES
  (
    CAST(0e0 AS DOUBLE PRECISION),
    CAST(0e0 AS DOUBLE PRECISION),
    CAST(0.220313e0 AS DOUBLE PRECISION),
    CAST(1.49213e0 AS DOUBLE PRECISION),
    CAST(0.638957e0 AS DOUBLE PRECISION),
    -CAST(0.816497e0 AS DOUBLE PRECISION),
    CAST(1.63299e0 AS DOUBLE PRECISION),
    -CAST(0.697486e0 AS DOUBLE PRECISION)
  ),
  (1e0, 0e0, 0.108746e0, 0.439401e0, -1.70389e0, -0.816497e0, 1.63299e0, -0.697486e0),
  (2e0, 0e0, 0.251484e0, 0.439401e0, -1.70389e0, -0.816497e0, -0.612372e0, 1.43372e0),
  (3e0, 0e0, 0.00100596e0, -1.66606e0, 0.638957e0, 1.22474e0, -0.612372e0, -0.697486e0),
  -- and more rows like these
  (14e0, 0e0, 0.181705e0, 1.5379e0, 0.638957e0, 1.22474e0, -0.612372e0, -0.697486e0)) AS "rows"("position", "part", "c1", "x1", "x2", "x3", "x4", "x5");
-- step 'watched': SupportVectorMachineForOneClass
CREATE TABLE "example_results"."watched" AS
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
        GREATEST("score1", -CAST(1e300 AS DOUBLE PRECISION)),
        CAST(1e300 AS DOUBLE PRECISION)
      ),
      CAST(1e300 AS DOUBLE PRECISION)
    ),
    -CAST(1e300 AS DOUBLE PRECISION)
  ) AS "familiarity",
  CASE SIGN(
      NULLIF(
        NULLIF(
          LEAST(
            GREATEST("score1", -CAST(1e300 AS DOUBLE PRECISION)),
            CAST(1e300 AS DOUBLE PRECISION)
          ),
          CAST(1e300 AS DOUBLE PRECISION)
        ),
        -CAST(1e300 AS DOUBLE PRECISION)
      )
    )
    WHEN CAST(1e0 AS DOUBLE PRECISION)
    THEN 'usual'
    WHEN CAST(0e0 AS DOUBLE PRECISION)
    THEN 'unusual'
    WHEN -CAST(1e0 AS DOUBLE PRECISION)
    THEN 'unusual'
  END AS "familiarity_label"
FROM (
  SELECT
    "given"."customer_id",
    "given"."age",
    "given"."income",
    "given"."household",
    "given"."region",
    "given"."since",
    "given"."lapsed",
    CASE
      WHEN NOT (
        "given"."input1" + "given"."input2" + (
          "given"."input3" + (
            "given"."input4" + "given"."input5"
          )
        )
      ) IS NULL
      THEN "sums"."sum_0_0" + -CAST(0.499571e0 AS DOUBLE PRECISION)
    END AS "score1"
  FROM (
    SELECT
      "customer_id",
      "age",
      "income",
      "household",
      "region",
      "since",
      "lapsed",
      "input1",
      "input2",
      "input3",
      "input4",
      "input5"
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
          WHEN "x1" BETWEEN -CAST(1e-140 AS DOUBLE PRECISION) AND CAST(1e-140 AS DOUBLE PRECISION)
          THEN CAST(0e0 AS DOUBLE PRECISION)
          WHEN "x1" BETWEEN -CAST(1e140 AS DOUBLE PRECISION) AND CAST(1e140 AS DOUBLE PRECISION)
          THEN "x1"
        END AS "input1",
        CASE
          WHEN "x2" BETWEEN -CAST(1e-140 AS DOUBLE PRECISION) AND CAST(1e-140 AS DOUBLE PRECISION)
          THEN CAST(0e0 AS DOUBLE PRECISION)
          WHEN "x2" BETWEEN -CAST(1e140 AS DOUBLE PRECISION) AND CAST(1e140 AS DOUBLE PRECISION)
          THEN "x2"
        END AS "input2",
        CASE
          WHEN "x3" BETWEEN -CAST(1e-140 AS DOUBLE PRECISION) AND CAST(1e-140 AS DOUBLE PRECISION)
          THEN CAST(0e0 AS DOUBLE PRECISION)
          WHEN "x3" BETWEEN -CAST(1e140 AS DOUBLE PRECISION) AND CAST(1e140 AS DOUBLE PRECISION)
          THEN "x3"
        END AS "input3",
        CASE
          WHEN "x4" BETWEEN -CAST(1e-140 AS DOUBLE PRECISION) AND CAST(1e-140 AS DOUBLE PRECISION)
          THEN CAST(0e0 AS DOUBLE PRECISION)
          WHEN "x4" BETWEEN -CAST(1e140 AS DOUBLE PRECISION) AND CAST(1e140 AS DOUBLE PRECISION)
          THEN "x4"
        END AS "input4",
        CASE
          WHEN "x5" BETWEEN -CAST(1e-140 AS DOUBLE PRECISION) AND CAST(1e-140 AS DOUBLE PRECISION)
          THEN CAST(0e0 AS DOUBLE PRECISION)
          WHEN "x5" BETWEEN -CAST(1e140 AS DOUBLE PRECISION) AND CAST(1e140 AS DOUBLE PRECISION)
          THEN "x5"
        END AS "input5"
      FROM (
        SELECT
          "customer_id",
          "age",
          "income",
          "household",
          "region",
          "since",
          "lapsed",
          CAST(0.045771e0 AS DOUBLE PRECISION) * (
            CASE
              WHEN "age" BETWEEN -CAST(1e-100 AS DOUBLE PRECISION) AND CAST(1e-100 AS DOUBLE PRECISION)
              THEN CAST(0e0 AS DOUBLE PRECISION)
              WHEN "age" BETWEEN -CAST(1e100 AS DOUBLE PRECISION) AND CAST(1e100 AS DOUBLE PRECISION)
              THEN "age"
            END - CAST(54.4e0 AS DOUBLE PRECISION)
          ) AS "x1",
          CAST(0.780948e0 AS DOUBLE PRECISION) * (
            CASE
              WHEN "household" BETWEEN -CAST(1e-100 AS DOUBLE PRECISION) AND CAST(1e-100 AS DOUBLE PRECISION)
              THEN CAST(0e0 AS DOUBLE PRECISION)
              WHEN "household" BETWEEN -CAST(1e100 AS DOUBLE PRECISION) AND CAST(1e100 AS DOUBLE PRECISION)
              THEN "household"
            END - CAST(3.18182e0 AS DOUBLE PRECISION)
          ) AS "x2",
          CASE
            WHEN "region" = 'east'
            THEN CAST(1.22474e0 AS DOUBLE PRECISION)
            WHEN "region" = 'north'
            THEN -CAST(0.816497e0 AS DOUBLE PRECISION)
            WHEN "region" = 'south'
            THEN -CAST(0.816497e0 AS DOUBLE PRECISION)
            WHEN "region" IS NULL
            THEN NULL
            ELSE -CAST(0.816497e0 AS DOUBLE PRECISION)
          END AS "x3",
          CASE
            WHEN "region" = 'east'
            THEN -CAST(0.612372e0 AS DOUBLE PRECISION)
            WHEN "region" = 'north'
            THEN CAST(1.63299e0 AS DOUBLE PRECISION)
            WHEN "region" = 'south'
            THEN -CAST(0.612372e0 AS DOUBLE PRECISION)
            WHEN "region" IS NULL
            THEN NULL
            ELSE -CAST(0.612372e0 AS DOUBLE PRECISION)
          END AS "x4",
          CASE
            WHEN "region" = 'east'
            THEN -CAST(0.697486e0 AS DOUBLE PRECISION)
            WHEN "region" = 'north'
            THEN -CAST(0.697486e0 AS DOUBLE PRECISION)
            WHEN "region" = 'south'
            THEN CAST(1.43372e0 AS DOUBLE PRECISION)
            WHEN "region" IS NULL
            THEN NULL
            ELSE -CAST(0.697486e0 AS DOUBLE PRECISION)
          END AS "x5"
        FROM "example_results"."Customer"
        OFFSET 0
      ) AS "rows"
      OFFSET 0
    ) AS "rows"
  ) AS "given"
  CROSS JOIN LATERAL (
    SELECT
      SUM("c1" * "kernel") AS "sum_0_0"
    FROM (
      SELECT
        "c1",
        EXP(
          GREATEST(
            -CAST(0.2e0 AS DOUBLE PRECISION) * (
              (
                "given"."input1" - "x1"
              ) * (
                "given"."input1" - "x1"
              ) + (
                "given"."input2" - "x2"
              ) * (
                "given"."input2" - "x2"
              ) + (
                (
                  "given"."input3" - "x3"
                ) * (
                  "given"."input3" - "x3"
                ) + (
                  (
                    "given"."input4" - "x4"
                  ) * (
                    "given"."input4" - "x4"
                  ) + (
                    "given"."input5" - "x5"
                  ) * (
                    "given"."input5" - "x5"
                  )
                )
              )
            ),
            -CAST(600e0 AS DOUBLE PRECISION)
          )
        ) AS "kernel"
      FROM "example_results"."watched.support_vectors"
      OFFSET 0
    ) AS "compared"
    OFFSET 0
  ) AS "sums"
  OFFSET 0
) AS "rows";
