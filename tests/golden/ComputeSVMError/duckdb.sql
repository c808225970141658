-- step 'quality': ComputeSVMError
CREATE TABLE "example_results"."quality" AS
SELECT
  "part",
  "rows",
  "rows" - "compared" AS "unknown",
  "hits" / NULLIF("compared", 0e0) AS "accuracy",
  1e0 - (
    "hits" / NULLIF("compared", 0e0)
  ) AS "error",
  "recalls" / NULLIF("classes", 0e0) AS "balanced_accuracy",
  "most" / NULLIF("compared", 0e0) AS "baseline_accuracy",
  1e0 - (
    "most" / NULLIF("compared", 0e0)
  ) AS "baseline_error",
  1e0 / NULLIF("classes", 0e0) AS "baseline_balanced_accuracy",
  "true_positives" / NULLIF("true_positives" + "false_positives", 0e0) AS "precision",
  "true_positives" / NULLIF("true_positives" + "false_negatives", 0e0) AS "recall",
  (
    2e0 * "true_positives"
  ) / NULLIF(2e0 * "true_positives" + "false_positives" + "false_negatives", 0e0) AS "f1",
  (
    "true_positives" + "false_negatives"
  ) / NULLIF("compared", 0e0) AS "baseline_precision",
  (
    "true_positives" + "false_positives"
  ) / NULLIF("compared", 0e0) AS "baseline_recall",
  (
    2e0 * (
      "true_positives" + "false_positives"
    ) * (
      "true_positives" + "false_negatives"
    )
  ) / NULLIF(
    "compared" * (
      2e0 * "true_positives" + "false_positives" + "false_negatives"
    ),
    0e0
  ) AS "baseline_f1",
  (
    "ranks" - (
      "ranked_positives" * (
        "ranked_positives" + 1e0
      ) * 0.5e0
    )
  ) / NULLIF("ranked_positives" * "ranked_negatives", 0e0) AS "auc",
  "precisions_above" / NULLIF("ranked_positives", 0e0) AS "pr_auc",
  "farthest" / NULLIF("ranked_positives" * "ranked_negatives", 0e0) AS "ks",
  0.5e0 AS "baseline_auc",
  "ranked_positives" / NULLIF("ranked_positives" + "ranked_negatives", 0e0) AS "baseline_pr_auc",
  0e0 AS "baseline_ks",
  (
    "true_positives" * 0e0 + "false_positives" * 1e0 + "false_negatives" * 10e0 + "true_negatives" * 0e0
  ) / NULLIF("compared", 0e0) AS "expected_cost",
  "true_positives" * 0e0 + "false_positives" * 1e0 + "false_negatives" * 10e0 + "true_negatives" * 0e0 AS "total_cost",
  (
    (
      "true_positives" + "false_negatives"
    ) * 10e0 + (
      "false_positives" + "true_negatives"
    ) * 0e0
  ) / NULLIF("compared", 0e0) AS "cost_of_nobody",
  (
    (
      "true_positives" + "false_negatives"
    ) * 0e0 + (
      "false_positives" + "true_negatives"
    ) * 1e0
  ) / NULLIF("compared", 0e0) AS "cost_of_everybody",
  CASE
    WHEN (
      (
        "true_positives" + "false_negatives"
      ) * 10e0 + (
        "false_positives" + "true_negatives"
      ) * 0e0
    ) / NULLIF("compared", 0e0) <= (
      (
        "true_positives" + "false_negatives"
      ) * 0e0 + (
        "false_positives" + "true_negatives"
      ) * 1e0
    ) / NULLIF("compared", 0e0)
    THEN (
      (
        "true_positives" + "false_negatives"
      ) * 10e0 + (
        "false_positives" + "true_negatives"
      ) * 0e0
    ) / NULLIF("compared", 0e0)
    ELSE (
      (
        "true_positives" + "false_negatives"
      ) * 0e0 + (
        "false_positives" + "true_negatives"
      ) * 1e0
    ) / NULLIF("compared", 0e0)
  END AS "baseline_expected_cost",
  "true_positives",
  "false_positives",
  "false_negatives",
  "true_negatives"
FROM (
  SELECT
    "part",
    CAST(COUNT(*) AS DOUBLE) AS "rows",
    SUM(
      CASE
        WHEN (
          NOT "actual" IS NULL AND NOT "predicted" IS NULL
        )
        THEN 1e0
        ELSE 0e0
      END
    ) AS "compared",
    SUM(CASE WHEN "actual" = "predicted" THEN 1e0 ELSE 0e0 END) AS "hits",
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
    ) AS DOUBLE) AS "classes",
    SUM(
      CASE
        WHEN "actual" = "predicted" AND "place_in_pair" = 1e0
        THEN "in_pair" / NULLIF("in_class", 0e0)
        ELSE 0e0
      END
    ) AS "recalls",
    SUM(CASE WHEN "actual" = 'yes' AND "predicted" = 'yes' THEN 1e0 ELSE 0e0 END) AS "true_positives",
    SUM(CASE WHEN "actual" <> 'yes' AND "predicted" = 'yes' THEN 1e0 ELSE 0e0 END) AS "false_positives",
    SUM(CASE WHEN "actual" = 'yes' AND "predicted" <> 'yes' THEN 1e0 ELSE 0e0 END) AS "false_negatives",
    SUM(CASE WHEN "actual" <> 'yes' AND "predicted" <> 'yes' THEN 1e0 ELSE 0e0 END) AS "true_negatives",
    SUM(CASE WHEN "actual" = 'yes' AND NOT "decision" IS NULL THEN 1e0 ELSE 0e0 END) AS "ranked_positives",
    SUM(CASE WHEN "actual" <> 'yes' AND NOT "decision" IS NULL THEN 1e0 ELSE 0e0 END) AS "ranked_negatives",
    SUM(
      CASE
        WHEN "actual" = 'yes' AND NOT "decision" IS NULL
        THEN "first_rank" + (
          "peers" - 1e0
        ) * 0.5e0
      END
    ) AS "ranks",
    SUM(
      CASE
        WHEN "actual" = 'yes' AND NOT "decision" IS NULL
        THEN (
          "all_caught" - "caught_up_to" + "caught_here"
        ) / NULLIF("all_chosen" - "first_rank" + 1e0, 0e0)
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
                "all_chosen" - "first_rank" + 1e0 - (
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
      ) AS DOUBLE) AS "in_class",
      CAST(COUNT(*) OVER (PARTITION BY "part", "actual", "predicted") AS DOUBLE) AS "in_pair",
      CAST(ROW_NUMBER() OVER (PARTITION BY "part", "actual", "predicted" ORDER BY "actual") AS DOUBLE) AS "place_in_pair",
      CAST(RANK() OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        )
        ORDER BY "decision"
      ) AS DOUBLE) AS "first_rank",
      CAST(COUNT(*) OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        ), "decision"
      ) AS DOUBLE) AS "peers",
      SUM(CASE WHEN "actual" = 'yes' AND NOT "decision" IS NULL THEN 1e0 ELSE 0e0 END) OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        )
        ORDER BY "decision"
      ) AS "caught_up_to",
      SUM(CASE WHEN "actual" = 'yes' AND NOT "decision" IS NULL THEN 1e0 ELSE 0e0 END) OVER (
        PARTITION BY "part", (
          NOT "actual" IS NULL AND NOT "decision" IS NULL
        ), "decision"
      ) AS "caught_here",
      SUM(CASE WHEN "actual" = 'yes' AND NOT "decision" IS NULL THEN 1e0 ELSE 0e0 END) OVER (PARTITION BY "part", (
        NOT "actual" IS NULL AND NOT "decision" IS NULL
      )) AS "all_caught",
      CAST(COUNT(*) OVER (PARTITION BY "part", (
        NOT "actual" IS NULL AND NOT "decision" IS NULL
      )) AS DOUBLE) AS "all_chosen"
    FROM (
      SELECT
        "lapsed" AS "actual",
        "risk_label" AS "predicted",
        "risk" AS "decision",
        'all' AS "part"
      FROM "example_results"."Scored"
    ) AS "rows"
  ) AS "rows"
  GROUP BY
    "part"
) AS "rows";
