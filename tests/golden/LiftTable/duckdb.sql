-- step 'best_first': LiftTable
CREATE TABLE "example_results"."best_first" AS
SELECT
  "part",
  "bin",
  "lowest",
  "highest",
  "rows",
  "positives",
  "positives" / NULLIF("rows", 0e0) AS "rate",
  (
    "positives" / NULLIF("rows", 0e0)
  ) / NULLIF("all_positives" / NULLIF("all_rows", 0e0), 0e0) AS "lift",
  "rows_before" / NULLIF("all_rows", 0e0) AS "rows_so_far",
  "positives_before" / NULLIF("all_positives", 0e0) AS "gain",
  (
    "positives_before" / NULLIF("all_positives", 0e0)
  ) / NULLIF("rows_before" / NULLIF("all_rows", 0e0), 0e0) AS "lift_so_far"
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
      CAST(COUNT(*) AS DOUBLE) AS "rows",
      SUM(CASE WHEN "actual" = 'yes' THEN 1e0 ELSE 0e0 END) AS "positives"
    FROM (
      SELECT
        "actual",
        "decision",
        "part",
        "rank",
        "all_rows",
        CAST(FLOOR((
          (
            "rank" - 1e0
          ) * 10e0
        ) / NULLIF("all_rows", 0e0)) AS DOUBLE) + 1e0 AS "bin"
      FROM (
        SELECT
          "actual",
          "decision",
          "part",
          CAST(RANK() OVER (PARTITION BY "part" ORDER BY -"decision") AS DOUBLE) AS "rank",
          CAST(COUNT(*) OVER (PARTITION BY "part") AS DOUBLE) AS "all_rows"
        FROM (
          SELECT
            "lapsed" AS "actual",
            "risk" AS "decision",
            'all' AS "part"
          FROM "example_results"."Scored"
          WHERE
            NOT "lapsed" IS NULL AND NOT "risk" IS NULL
        ) AS "rows"
      ) AS "rows"
    ) AS "rows"
    GROUP BY
      "part",
      "bin"
  ) AS "rows"
) AS "rows"
ORDER BY
  "part",
  "bin"
LIMIT 200;
