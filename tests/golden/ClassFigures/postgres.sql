-- step 'by_class': ClassFigures
CREATE TABLE "example_results"."by_class" AS
SELECT
  "part",
  "class",
  "rows",
  "predicted_rows",
  "right",
  "precision",
  "recall",
  "f1"
FROM (
  SELECT
    "part",
    "class",
    "rows",
    "predicted_rows",
    "right",
    CAST("right" AS DOUBLE PRECISION) / NULLIF("predicted_rows", CAST(0e0 AS DOUBLE PRECISION)) AS "precision",
    CAST("right" AS DOUBLE PRECISION) / NULLIF("rows", CAST(0e0 AS DOUBLE PRECISION)) AS "recall",
    CAST((
      CAST(2e0 AS DOUBLE PRECISION) * "right"
    ) AS DOUBLE PRECISION) / NULLIF("rows" + "predicted_rows", CAST(0e0 AS DOUBLE PRECISION)) AS "f1"
  FROM (
    SELECT
      "part",
      "class",
      SUM("rows") AS "rows",
      SUM("predicted_rows") AS "predicted_rows",
      SUM("right") AS "right"
    FROM (
      SELECT
        "part",
        "class",
        "rows",
        "predicted_rows",
        "right"
      FROM (
        SELECT
          "part",
          "actual" AS "class",
          "rows",
          CAST(0e0 AS DOUBLE PRECISION) AS "predicted_rows",
          CASE WHEN "actual" = "predicted" THEN "rows" ELSE CAST(0e0 AS DOUBLE PRECISION) END AS "right"
        FROM (
          SELECT
            "part",
            "actual",
            "predicted",
            CAST(COUNT(*) AS DOUBLE PRECISION) AS "rows"
          FROM (
            SELECT
              "lapsed" AS "actual",
              "risk_label" AS "predicted",
              'all' AS "part"
            FROM "example_results"."Scored"
            WHERE
              NOT "lapsed" IS NULL AND NOT "risk_label" IS NULL
          ) AS "rows"
          GROUP BY
            "part",
            "actual",
            "predicted"
        ) AS "rows"
        UNION ALL
        SELECT
          "part",
          "predicted" AS "class",
          CAST(0e0 AS DOUBLE PRECISION) AS "rows",
          "rows" AS "predicted_rows",
          CAST(0e0 AS DOUBLE PRECISION) AS "right"
        FROM (
          SELECT
            "part",
            "actual",
            "predicted",
            CAST(COUNT(*) AS DOUBLE PRECISION) AS "rows"
          FROM (
            SELECT
              "lapsed" AS "actual",
              "risk_label" AS "predicted",
              'all' AS "part"
            FROM "example_results"."Scored"
            WHERE
              NOT "lapsed" IS NULL AND NOT "risk_label" IS NULL
          ) AS "rows"
          GROUP BY
            "part",
            "actual",
            "predicted"
        ) AS "rows"
      ) AS "rows"
    ) AS "rows"
    GROUP BY
      "part",
      "class"
  ) AS "rows"
  OFFSET 0
) AS "rows"
ORDER BY
  -"rows",
  "part",
  "class"
LIMIT 200;
