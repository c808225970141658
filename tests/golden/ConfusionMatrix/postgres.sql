-- step 'confused': ConfusionMatrix
CREATE TABLE "example_results"."confused" AS
SELECT
  "part",
  "actual",
  "predicted",
  "rows",
  "share",
  "share_of_actual",
  "share_of_predicted"
FROM (
  SELECT
    "part",
    "actual",
    "predicted",
    "rows",
    CAST("rows" AS DOUBLE PRECISION) / NULLIF(SUM("rows") OVER (PARTITION BY "part"), CAST(0e0 AS DOUBLE PRECISION)) AS "share",
    CAST("rows" AS DOUBLE PRECISION) / NULLIF(SUM("rows") OVER (PARTITION BY "part", "actual"), CAST(0e0 AS DOUBLE PRECISION)) AS "share_of_actual",
    CAST("rows" AS DOUBLE PRECISION) / NULLIF(SUM("rows") OVER (PARTITION BY "part", "predicted"), CAST(0e0 AS DOUBLE PRECISION)) AS "share_of_predicted"
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
  OFFSET 0
) AS "rows"
ORDER BY
  -"rows",
  "part",
  "actual",
  "predicted"
LIMIT 200;
