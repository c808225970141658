-- step 'reliability': CalibrationTable
CREATE TABLE "example_results"."reliability" AS
SELECT
  "part",
  "bin",
  CASE
    WHEN "bin" <= CAST(1e0 AS DOUBLE PRECISION)
    THEN CAST(0e0 AS DOUBLE PRECISION)
    WHEN "bin" <= CAST(2e0 AS DOUBLE PRECISION)
    THEN CAST(0.2e0 AS DOUBLE PRECISION)
    WHEN "bin" <= CAST(3e0 AS DOUBLE PRECISION)
    THEN CAST(0.4e0 AS DOUBLE PRECISION)
    WHEN "bin" <= CAST(4e0 AS DOUBLE PRECISION)
    THEN CAST(0.6e0 AS DOUBLE PRECISION)
    ELSE CAST(0.8e0 AS DOUBLE PRECISION)
  END AS "lowest",
  CASE
    WHEN "bin" <= CAST(1e0 AS DOUBLE PRECISION)
    THEN CAST(0.2e0 AS DOUBLE PRECISION)
    WHEN "bin" <= CAST(2e0 AS DOUBLE PRECISION)
    THEN CAST(0.4e0 AS DOUBLE PRECISION)
    WHEN "bin" <= CAST(3e0 AS DOUBLE PRECISION)
    THEN CAST(0.6e0 AS DOUBLE PRECISION)
    WHEN "bin" <= CAST(4e0 AS DOUBLE PRECISION)
    THEN CAST(0.8e0 AS DOUBLE PRECISION)
    ELSE CAST(1e0 AS DOUBLE PRECISION)
  END AS "highest",
  "rows",
  "positives",
  "mean_probability",
  "rate",
  "difference",
  CAST(SUM(ABS("difference") * "rows") OVER (PARTITION BY "part") AS DOUBLE PRECISION) / NULLIF(SUM("rows") OVER (PARTITION BY "part"), CAST(0e0 AS DOUBLE PRECISION)) AS "expected_error"
FROM (
  SELECT
    "part",
    "bin",
    "rows",
    "positives",
    "mean_probability",
    CAST("positives" AS DOUBLE PRECISION) / NULLIF("rows", CAST(0e0 AS DOUBLE PRECISION)) AS "rate",
    "mean_probability" - (
      CAST("positives" AS DOUBLE PRECISION) / NULLIF("rows", CAST(0e0 AS DOUBLE PRECISION))
    ) AS "difference"
  FROM (
    SELECT
      "part",
      "bin",
      CAST(COUNT(*) AS DOUBLE PRECISION) AS "rows",
      SUM(
        CASE
          WHEN "actual" = 'yes'
          THEN CAST(1e0 AS DOUBLE PRECISION)
          ELSE CAST(0e0 AS DOUBLE PRECISION)
        END
      ) AS "positives",
      AVG("probability") AS "mean_probability"
    FROM (
      SELECT
        "actual",
        "probability",
        "part",
        "bin"
      FROM (
        SELECT
          "lapsed" AS "actual",
          "risk" AS "probability",
          'all' AS "part",
          CASE
            WHEN "risk" <= CAST(0.2e0 AS DOUBLE PRECISION)
            THEN CAST(1e0 AS DOUBLE PRECISION)
            WHEN "risk" <= CAST(0.4e0 AS DOUBLE PRECISION)
            THEN CAST(2e0 AS DOUBLE PRECISION)
            WHEN "risk" <= CAST(0.6e0 AS DOUBLE PRECISION)
            THEN CAST(3e0 AS DOUBLE PRECISION)
            WHEN "risk" <= CAST(0.8e0 AS DOUBLE PRECISION)
            THEN CAST(4e0 AS DOUBLE PRECISION)
            ELSE CAST(5e0 AS DOUBLE PRECISION)
          END AS "bin"
        FROM "example_results"."Scored"
        WHERE
          NOT "lapsed" IS NULL
          AND NOT "risk" IS NULL
          AND "risk" >= CAST(0e0 AS DOUBLE PRECISION)
          AND "risk" <= CAST(1e0 AS DOUBLE PRECISION)
        OFFSET 0
      ) AS "rows"
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
