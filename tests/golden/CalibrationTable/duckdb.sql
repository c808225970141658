-- step 'reliability': CalibrationTable
CREATE TABLE "example_results"."reliability" AS
SELECT
  "part",
  "bin",
  CASE
    WHEN "bin" <= 1e0
    THEN 0e0
    WHEN "bin" <= 2e0
    THEN 0.2e0
    WHEN "bin" <= 3e0
    THEN 0.4e0
    WHEN "bin" <= 4e0
    THEN 0.6e0
    ELSE 0.8e0
  END AS "lowest",
  CASE
    WHEN "bin" <= 1e0
    THEN 0.2e0
    WHEN "bin" <= 2e0
    THEN 0.4e0
    WHEN "bin" <= 3e0
    THEN 0.6e0
    WHEN "bin" <= 4e0
    THEN 0.8e0
    ELSE 1e0
  END AS "highest",
  "rows",
  "positives",
  "mean_probability",
  "rate",
  "difference",
  SUM(ABS("difference") * "rows") OVER (PARTITION BY "part") / NULLIF(SUM("rows") OVER (PARTITION BY "part"), 0e0) AS "expected_error"
FROM (
  SELECT
    "part",
    "bin",
    "rows",
    "positives",
    "mean_probability",
    "positives" / NULLIF("rows", 0e0) AS "rate",
    "mean_probability" - (
      "positives" / NULLIF("rows", 0e0)
    ) AS "difference"
  FROM (
    SELECT
      "part",
      "bin",
      CAST(COUNT(*) AS DOUBLE) AS "rows",
      SUM(CASE WHEN "actual" = 'yes' THEN 1e0 ELSE 0e0 END) AS "positives",
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
            WHEN "risk" <= 0.2e0
            THEN 1e0
            WHEN "risk" <= 0.4e0
            THEN 2e0
            WHEN "risk" <= 0.6e0
            THEN 3e0
            WHEN "risk" <= 0.8e0
            THEN 4e0
            ELSE 5e0
          END AS "bin"
        FROM "example_results"."Scored"
        WHERE
          NOT "lapsed" IS NULL AND NOT "risk" IS NULL AND "risk" >= 0e0 AND "risk" <= 1e0
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
