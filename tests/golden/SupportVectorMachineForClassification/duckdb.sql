-- step 'with_risk': SupportVectorMachineForClassification: with_risk.support_vectors
CREATE TABLE "example_results"."with_risk.support_vectors" AS
SELECT
  "position",
  "coefficient",
  "x1",
  "x2",
  "x3",
  "x4",
  "x5"
FROM (VALUES
  (0e0, -1.06077e0, -1.66606e0, -0.922938e0, -0.816497e0, -0.612372e0, 1.43372e0),
  (1e0, 1e0, -1.43721e0, -1.70389e0, 1.22474e0, -0.612372e0, -0.697486e0),
  (2e0, -1e0, -1.39144e0, -0.922938e0, -0.816497e0, 1.63299e0, -0.697486e0),
  -- and more rows like these
  (27e0, 1e0, 1.58368e0, -0.14199e0, -0.816497e0, 1.63299e0, -0.697486e0)) AS "rows"("position", "coefficient", "x1", "x2", "x3", "x4", "x5");
-- step 'with_risk': SupportVectorMachineForClassification
CREATE VIEW "example_results"."with_risk" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  "risk",
  CASE
    WHEN "risk" > 0e0 AND "risk" BETWEEN -1e300 AND 1e300
    THEN 'yes'
    WHEN "risk" <= 0e0 AND "risk" BETWEEN -1e300 AND 1e300
    THEN 'no'
  END AS "risk_label"
FROM (
  SELECT
    "rows"."customer_id",
    "rows"."age",
    "rows"."income",
    "rows"."household",
    "rows"."region",
    "rows"."since",
    "rows"."lapsed",
    CASE
      WHEN NOT "rows"."age" IS NULL
      AND NOT "rows"."household" IS NULL
      AND NOT "rows"."region" IS NULL
      THEN LIST_SUM(
        LIST_TRANSFORM(
          "model"."vectors",
          LAMBDA "s" : "s"."coefficient" * EXP(
            -0.2e0 * (
              LIST_DISTANCE("rows"."encoded row", "s"."vector") * LIST_DISTANCE("rows"."encoded row", "s"."vector")
            )
          )
        )
      ) + -0.0946802e0
    END AS "risk"
  FROM (
    SELECT
      "customer_id",
      "age",
      "income",
      "household",
      "region",
      "since",
      "lapsed",
      [
        COALESCE((
          "age" - 54.4e0
        ) / 21.8479e0, 0e0),
        COALESCE((
          "household" - 3.18182e0
        ) / 1.2805e0, 0e0),
        COALESCE(
          CASE
            WHEN "region" = 'east'
            THEN 1.22474e0
            WHEN "region" = 'north'
            THEN -0.816497e0
            WHEN "region" = 'south'
            THEN -0.816497e0
            WHEN "region" IS NULL
            THEN NULL
            ELSE -0.816497e0
          END,
          0e0
        ),
        COALESCE(
          CASE
            WHEN "region" = 'east'
            THEN -0.612372e0
            WHEN "region" = 'north'
            THEN 1.63299e0
            WHEN "region" = 'south'
            THEN -0.612372e0
            WHEN "region" IS NULL
            THEN NULL
            ELSE -0.612372e0
          END,
          0e0
        ),
        COALESCE(
          CASE
            WHEN "region" = 'east'
            THEN -0.697486e0
            WHEN "region" = 'north'
            THEN -0.697486e0
            WHEN "region" = 'south'
            THEN 1.43372e0
            WHEN "region" IS NULL
            THEN NULL
            ELSE -0.697486e0
          END,
          0e0
        )
      ] AS "encoded row"
    FROM "example_results"."Customer"
  ) AS "rows"
  CROSS JOIN (
    SELECT
      ARRAY_AGG(
        {'coefficient': "coefficient", 'vector': ["x1", "x2", "x3", "x4", "x5"]} ORDER BY "position"
      ) AS "vectors"
    FROM "example_results"."with_risk.support_vectors"
  ) AS "model"
) AS "rows";
