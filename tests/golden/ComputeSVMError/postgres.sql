-- step 'quality': ComputeSVMError
CREATE TABLE "example_results"."quality" AS
SELECT
  "part",
  "rows",
  "rows" - "compared" AS "unknown",
  CAST("hits" AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) AS "accuracy",
  CAST(1e0 AS DOUBLE PRECISION) - (
    CAST("hits" AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION))
  ) AS "error",
  CAST("recalls" AS DOUBLE PRECISION) / NULLIF("classes", CAST(0e0 AS DOUBLE PRECISION)) AS "balanced_accuracy",
  CAST("most" AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) AS "baseline_accuracy",
  CAST(1e0 AS DOUBLE PRECISION) - (
    CAST("most" AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION))
  ) AS "baseline_error",
  CAST(1e0 AS DOUBLE PRECISION) / NULLIF("classes", CAST(0e0 AS DOUBLE PRECISION)) AS "baseline_balanced_accuracy",
  CAST("true_positives" AS DOUBLE PRECISION) / NULLIF("true_positives" + "false_positives", CAST(0e0 AS DOUBLE PRECISION)) AS "precision",
  CAST("true_positives" AS DOUBLE PRECISION) / NULLIF("true_positives" + "false_negatives", CAST(0e0 AS DOUBLE PRECISION)) AS "recall",
  CAST((
    CAST(2e0 AS DOUBLE PRECISION) * "true_positives"
  ) AS DOUBLE PRECISION) / NULLIF(
    CAST(2e0 AS DOUBLE PRECISION) * "true_positives" + "false_positives" + "false_negatives",
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "f1",
  CAST((
    "true_positives" + "false_negatives"
  ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) AS "baseline_precision",
  CAST((
    "true_positives" + "false_positives"
  ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) AS "baseline_recall",
  CAST((
    CAST(2e0 AS DOUBLE PRECISION) * (
      "true_positives" + "false_positives"
    ) * (
      "true_positives" + "false_negatives"
    )
  ) AS DOUBLE PRECISION) / NULLIF(
    "compared" * (
      CAST(2e0 AS DOUBLE PRECISION) * "true_positives" + "false_positives" + "false_negatives"
    ),
    CAST(0e0 AS DOUBLE PRECISION)
  ) AS "baseline_f1",
  CAST((
    "ranks" - (
      "ranked_positives" * (
        "ranked_positives" + CAST(1e0 AS DOUBLE PRECISION)
      ) * CAST(0.5e0 AS DOUBLE PRECISION)
    )
  ) AS DOUBLE PRECISION) / NULLIF("ranked_positives" * "ranked_negatives", CAST(0e0 AS DOUBLE PRECISION)) AS "auc",
  CAST("precisions_above" AS DOUBLE PRECISION) / NULLIF("ranked_positives", CAST(0e0 AS DOUBLE PRECISION)) AS "pr_auc",
  CAST("farthest" AS DOUBLE PRECISION) / NULLIF("ranked_positives" * "ranked_negatives", CAST(0e0 AS DOUBLE PRECISION)) AS "ks",
  CAST(0.5e0 AS DOUBLE PRECISION) AS "baseline_auc",
  CAST("ranked_positives" AS DOUBLE PRECISION) / NULLIF("ranked_positives" + "ranked_negatives", CAST(0e0 AS DOUBLE PRECISION)) AS "baseline_pr_auc",
  CAST(0e0 AS DOUBLE PRECISION) AS "baseline_ks",
  CAST((
    "true_positives" * CAST(0e0 AS DOUBLE PRECISION) + "false_positives" * CAST(1e0 AS DOUBLE PRECISION) + "false_negatives" * CAST(10e0 AS DOUBLE PRECISION) + "true_negatives" * CAST(0e0 AS DOUBLE PRECISION)
  ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) AS "expected_cost",
  "true_positives" * CAST(0e0 AS DOUBLE PRECISION) + "false_positives" * CAST(1e0 AS DOUBLE PRECISION) + "false_negatives" * CAST(10e0 AS DOUBLE PRECISION) + "true_negatives" * CAST(0e0 AS DOUBLE PRECISION) AS "total_cost",
  CAST((
    (
      "true_positives" + "false_negatives"
    ) * CAST(10e0 AS DOUBLE PRECISION) + (
      "false_positives" + "true_negatives"
    ) * CAST(0e0 AS DOUBLE PRECISION)
  ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) AS "cost_of_nobody",
  CAST((
    (
      "true_positives" + "false_negatives"
    ) * CAST(0e0 AS DOUBLE PRECISION) + (
      "false_positives" + "true_negatives"
    ) * CAST(1e0 AS DOUBLE PRECISION)
  ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) AS "cost_of_everybody",
  CASE
    WHEN CAST((
      (
        "true_positives" + "false_negatives"
      ) * CAST(10e0 AS DOUBLE PRECISION) + (
        "false_positives" + "true_negatives"
      ) * CAST(0e0 AS DOUBLE PRECISION)
    ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION)) <= CAST((
      (
        "true_positives" + "false_negatives"
      ) * CAST(0e0 AS DOUBLE PRECISION) + (
        "false_positives" + "true_negatives"
      ) * CAST(1e0 AS DOUBLE PRECISION)
    ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION))
    THEN CAST((
      (
        "true_positives" + "false_negatives"
      ) * CAST(10e0 AS DOUBLE PRECISION) + (
        "false_positives" + "true_negatives"
      ) * CAST(0e0 AS DOUBLE PRECISION)
    ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION))
    ELSE CAST((
      (
        "true_positives" + "false_negatives"
      ) * CAST(0e0 AS DOUBLE PRECISION) + (
        "false_positives" + "true_negatives"
      ) * CAST(1e0 AS DOUBLE PRECISION)
    ) AS DOUBLE PRECISION) / NULLIF("compared", CAST(0e0 AS DOUBLE PRECISION))
  END AS "baseline_expected_cost",
  "true_positives",
  "false_positives",
  "false_negatives",
  "true_negatives"
FROM (
  SELECT
    "part",
    CAST(COUNT(*) AS DOUBLE PRECISION) AS "rows",
    SUM(
      CASE
        WHEN (
          NOT "actual" IS NULL AND NOT "predicted" IS NULL
        )
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "compared",
    SUM(
      CASE
        WHEN "actual" = "predicted"
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "hits",
    MAX(
      CASE
        WHEN (
          NOT "actual" IS NULL AND NOT "predicted" IS NULL
        )
        THEN "in_class"
      END
    ) AS "most",
    CAST(COUNT(
      DISTINCT CASE WHEN (
        NOT "actual" IS NULL AND NOT "predicted" IS NULL
      ) THEN "actual" END
    ) AS DOUBLE PRECISION) AS "classes",
    SUM(
      CASE
        WHEN "actual" = "predicted" AND "place_in_pair" = CAST(1e0 AS DOUBLE PRECISION)
        THEN CAST("in_pair" AS DOUBLE PRECISION) / NULLIF("in_class", CAST(0e0 AS DOUBLE PRECISION))
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "recalls",
    SUM(
      CASE
        WHEN "actual" = 'yes' AND "predicted" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "true_positives",
    SUM(
      CASE
        WHEN "actual" <> 'yes' AND "predicted" = 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "false_positives",
    SUM(
      CASE
        WHEN "actual" = 'yes' AND "predicted" <> 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "false_negatives",
    SUM(
      CASE
        WHEN "actual" <> 'yes' AND "predicted" <> 'yes'
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "true_negatives",
    SUM(
      CASE
        WHEN "actual" = 'yes' AND NOT "decision" IS NULL
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "ranked_positives",
    SUM(
      CASE
        WHEN "actual" <> 'yes' AND NOT "decision" IS NULL
        THEN CAST(1e0 AS DOUBLE PRECISION)
        ELSE CAST(0e0 AS DOUBLE PRECISION)
      END
    ) AS "ranked_negatives",
    SUM(
      CASE
        WHEN "actual" = 'yes' AND NOT "decision" IS NULL
        THEN "first_rank" + (
          "peers" - CAST(1e0 AS DOUBLE PRECISION)
        ) * CAST(0.5e0 AS DOUBLE PRECISION)
      END
    ) AS "ranks",
    SUM(
      CASE
        WHEN "actual" = 'yes' AND NOT "decision" IS NULL
        THEN CAST((
          "all_caught" - "caught_up_to" + "caught_here"
        ) AS DOUBLE PRECISION) / NULLIF(
          "all_chosen" - "first_rank" + CAST(1e0 AS DOUBLE PRECISION),
          CAST(0e0 AS DOUBLE PRECISION)
        )
      END
    ) AS "precisions_above",
    MAX(
      CASE
        WHEN (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        )
        THEN ABS(
          (
            (
              "all_caught" - "caught_up_to" + "caught_here"
            ) * (
              "all_chosen" - "all_caught"
            ) - (
              (
                "all_chosen" - "first_rank" + CAST(1e0 AS DOUBLE PRECISION) - (
                  "all_caught" - "caught_up_to" + "caught_here"
                )
              ) * "all_caught"
            )
          )
        )
      END
    ) AS "farthest"
  FROM (
    SELECT
      "actual",
      "predicted",
      "decision",
      "part",
      CAST(COUNT(*) OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "predicted" IS NULL
        ), "actual"
      ) AS DOUBLE PRECISION) AS "in_class",
      CAST(COUNT(*) OVER (PARTITION BY "part", "actual", "predicted") AS DOUBLE PRECISION) AS "in_pair",
      CAST(ROW_NUMBER() OVER (PARTITION BY "part", "actual", "predicted" ORDER BY "actual") AS DOUBLE PRECISION) AS "place_in_pair",
      CAST(RANK() OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        )
        ORDER BY "decision"
      ) AS DOUBLE PRECISION) AS "first_rank",
      CAST(COUNT(*) OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        ), "decision"
      ) AS DOUBLE PRECISION) AS "peers",
      SUM(
        CASE
          WHEN "actual" = 'yes' AND NOT "decision" IS NULL
          THEN CAST(1e0 AS DOUBLE PRECISION)
          ELSE CAST(0e0 AS DOUBLE PRECISION)
        END
      ) OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        )
        ORDER BY "decision"
      ) AS "caught_up_to",
      SUM(
        CASE
          WHEN "actual" = 'yes' AND NOT "decision" IS NULL
          THEN CAST(1e0 AS DOUBLE PRECISION)
          ELSE CAST(0e0 AS DOUBLE PRECISION)
        END
      ) OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        ), "decision"
      ) AS "caught_here",
      SUM(
        CASE
          WHEN "actual" = 'yes' AND NOT "decision" IS NULL
          THEN CAST(1e0 AS DOUBLE PRECISION)
          ELSE CAST(0e0 AS DOUBLE PRECISION)
        END
      ) OVER (PARTITION BY "part", (
        NOT "actual" IS NULL AND NOT "decision" IS NULL
      )) AS "all_caught",
      CAST(COUNT(*) OVER (PARTITION BY "part", (
        NOT "actual" IS NULL AND NOT "decision" IS NULL
      )) AS DOUBLE PRECISION) AS "all_chosen"
    FROM (
      SELECT
        "lapsed" AS "actual",
        "risk_label" AS "predicted",
        "risk" AS "decision",
        'all' AS "part"
      FROM "example_results"."Scored"
    ) AS "rows"
    OFFSET 0
  ) AS "rows"
  GROUP BY
    "part"
) AS "rows";
