-- step 'best_first': LiftTable
CREATE TABLE "example_results"."best_first" AS
SELECT
  "part",
  "bin",
  "lowest",
  "highest",
  "rows",
  "positives",
  CAST("positives" AS DOUBLE PRECISION) / NULLIF("rows", CAST(0e0 AS DOUBLE PRECISION)) AS "rate",
  CAST((
    CAST("positives" AS DOUBLE PRECISION) / NULLIF("rows", CAST(0e0 AS DOUBLE PRECISION))
  ) AS DOUBLE PRECISION) / NULLIF(
    CAST("all_positives" AS DOUBLE PRECISION) / NULLIF("all_rows", CAST(0e0 AS DOUBLE PRECISION)),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "lift",
  CAST("rows_before" AS DOUBLE PRECISION) / NULLIF("all_rows", CAST(0e0 AS DOUBLE PRECISION)) AS "rows_so_far",
  CAST("positives_before" AS DOUBLE PRECISION) / NULLIF("all_positives", CAST(0e0 AS DOUBLE PRECISION)) AS "gain",
  CAST((
    CAST("positives_before" AS DOUBLE PRECISION) / NULLIF("all_positives", CAST(0e0 AS DOUBLE PRECISION))
  ) AS DOUBLE PRECISION) / NULLIF(
    CAST("rows_before" AS DOUBLE PRECISION) / NULLIF("all_rows", CAST(0e0 AS DOUBLE PRECISION)),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "lift_so_far"
FROM (
  SELECT
    "part",
    "bin",
    "lowest",
    "highest",
    "rows",
    "positives",
    SUM("rows") OVER (PARTITION BY "part" ORDER BY "bin") AS "rows_before",
    SUM("positives") OVER (PARTITION BY "part" ORDER BY "bin") AS "positives_before",
    SUM("rows") OVER (PARTITION BY "part") AS "all_rows",
    SUM("positives") OVER (PARTITION BY "part") AS "all_positives"
  FROM (
    SELECT
      "part",
      "bin",
      MIN("decision") AS "lowest",
      MAX("decision") AS "highest",
      CAST(COUNT(*) AS DOUBLE PRECISION) AS "rows",
      SUM(
        CASE
          WHEN "actual" = 'yes'
          THEN CAST(1e0 AS DOUBLE PRECISION)
          ELSE CAST(0e0 AS DOUBLE PRECISION)
        END
      ) AS "positives"
    FROM (
      SELECT
        "actual",
        "decision",
        "part",
        "rank",
        "all_rows",
        CAST(FLOOR(
          CAST((
            (
              "rank" - CAST(1e0 AS DOUBLE PRECISION)
            ) * CAST(10e0 AS DOUBLE PRECISION)
          ) AS DOUBLE PRECISION) / NULLIF("all_rows", CAST(0e0 AS DOUBLE PRECISION))
        ) AS DOUBLE PRECISION) + CAST(1e0 AS DOUBLE PRECISION) AS "bin"
      FROM (
        SELECT
          "actual",
          "decision",
          "part",
          CAST(RANK() OVER (PARTITION BY "part" ORDER BY -"decision") AS DOUBLE PRECISION) AS "rank",
          CAST(COUNT(*) OVER (PARTITION BY "part") AS DOUBLE PRECISION) AS "all_rows"
        FROM (
          SELECT
            "lapsed" AS "actual",
            "risk" AS "decision",
            'all' AS "part"
          FROM "example_results"."Scored"
          WHERE
            NOT "lapsed" IS NULL AND NOT "risk" IS NULL
        ) AS "rows"
        OFFSET 0
      ) AS "rows"
      OFFSET 0
    ) AS "rows"
    GROUP BY
      "part",
      "bin"
  ) AS "rows"
  OFFSET 0
) AS "rows"
ORDER BY
  "part",
  "bin"
LIMIT 200;
