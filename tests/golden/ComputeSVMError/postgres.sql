-- step 'quality': ComputeSVMError
CREATE TABLE "example_results"."quality" AS
SELECT
  "part",
  CAST(COUNT(*) AS DOUBLE PRECISION) AS "rows",
  CAST(COUNT(*) AS DOUBLE PRECISION) - SUM(
    CASE
      WHEN NOT "lapsed" IS NULL AND NOT "risk_label" IS NULL
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS "unknown",
  CAST(SUM(
    CASE
      WHEN "lapsed" = "risk_label"
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS DOUBLE PRECISION) / NULLIF(
    SUM(
      CASE
        WHEN NOT "lapsed" IS NULL AND NOT "risk_label" IS NULL
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "accuracy",
  CAST(1e0 AS DOUBLE PRECISION) - CAST(SUM(
    CASE
      WHEN "lapsed" = "risk_label"
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS DOUBLE PRECISION) / NULLIF(
    SUM(
      CASE
        WHEN NOT "lapsed" IS NULL AND NOT "risk_label" IS NULL
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "error",
  CAST(SUM(
    CASE
      WHEN "lapsed" = 'yes' AND "risk_label" = 'yes'
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS DOUBLE PRECISION) / NULLIF(
    SUM(
      CASE
        WHEN "lapsed" = 'yes' AND "risk_label" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) + SUM(
      CASE
        WHEN "lapsed" <> 'yes' AND "risk_label" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "precision",
  CAST(SUM(
    CASE
      WHEN "lapsed" = 'yes' AND "risk_label" = 'yes'
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS DOUBLE PRECISION) / NULLIF(
    SUM(
      CASE
        WHEN "lapsed" = 'yes' AND "risk_label" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) + SUM(
      CASE
        WHEN "lapsed" = 'yes' AND "risk_label" <> 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "recall",
  CAST((
    CAST(2e0 AS DOUBLE PRECISION) * SUM(
      CASE
        WHEN "lapsed" = 'yes' AND "risk_label" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    )
  ) AS DOUBLE PRECISION) / NULLIF(
    CAST(2e0 AS DOUBLE PRECISION) * SUM(
      CASE
        WHEN "lapsed" = 'yes' AND "risk_label" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) + SUM(
      CASE
        WHEN "lapsed" <> 'yes' AND "risk_label" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) + SUM(
      CASE
        WHEN "lapsed" = 'yes' AND "risk_label" <> 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "f1",
  CAST((
    SUM(CASE WHEN "lapsed" = 'yes' AND NOT "risk" IS NULL THEN "rank" END) - SUM(
      CASE
        WHEN "lapsed" = 'yes' AND NOT "risk" IS NULL
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) * (
      SUM(
        CASE
          WHEN "lapsed" = 'yes' AND NOT "risk" IS NULL
          THEN CAST(1e0 AS DOUBLE PRECISION)
          ELSE CAST(0e0 AS DOUBLE PRECISION)
        END
      ) + CAST(1e0 AS DOUBLE PRECISION)
    ) * CAST(0.5e0 AS DOUBLE PRECISION)
  ) AS DOUBLE PRECISION) / NULLIF(
    SUM(
      CASE
        WHEN "lapsed" = 'yes' AND NOT "risk" IS NULL
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) * SUM(
      CASE
        WHEN "lapsed" <> 'yes' AND NOT "risk" IS NULL
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "auc",
  SUM(
    CASE
      WHEN "lapsed" = 'yes' AND "risk_label" = 'yes'
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS "true_positives",
  SUM(
    CASE
      WHEN "lapsed" <> 'yes' AND "risk_label" = 'yes'
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS "false_positives",
  SUM(
    CASE
      WHEN "lapsed" = 'yes' AND "risk_label" <> 'yes'
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS "false_negatives",
  SUM(
    CASE
      WHEN "lapsed" <> 'yes' AND "risk_label" <> 'yes'
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END
  ) AS "true_negatives"
FROM (
  SELECT
    "lapsed",
    "risk_label",
    "risk",
    "part",
    CAST(RANK() OVER (
      PARTITION BY "part", (
        NOT "lapsed" IS NULL AND NOT "risk" IS NULL
      )
      ORDER BY "risk"
    ) AS DOUBLE PRECISION) + (
      CAST(COUNT(*) OVER (PARTITION BY "part", (
        NOT "lapsed" IS NULL AND NOT "risk" IS NULL
      ), "risk") AS DOUBLE PRECISION) - CAST(1e0 AS DOUBLE PRECISION)
    ) * CAST(0.5e0 AS DOUBLE PRECISION) AS "rank"
  FROM (
    SELECT
      "lapsed",
      "risk_label",
      "risk",
      'all' AS "part"
    FROM "example_results"."Scored"
  ) AS "rows"
  OFFSET 0
) AS "rows"
GROUP BY
  "part";
