-- step 'smooth': ExponentialMovingFunction
CREATE VIEW "example_results"."smooth" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "known" > 0
    THEN "weight" * (
      SUM("weighted") OVER (
        PARTITION BY "region", "block"
        ORDER BY "since", "customer_id"
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) + CAST(7.90751e-61 AS DOUBLE PRECISION) * COALESCE(
        SUM("weighted") OVER (PARTITION BY "region" ORDER BY "block" RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING),
        CAST(0e0 AS DOUBLE PRECISION)
      )
    )
  END AS "income_average"
FROM (
  SELECT
    "customer_id",
    "age",
    "income",
    "household",
    "region",
    "since",
    "lapsed",
    "known",
    "block",
    "weight",
    CASE
      WHEN "income" IS NULL
      THEN CAST(0e0 AS DOUBLE PRECISION)
      WHEN "known" = 1
      THEN "income"
      ELSE CAST(0.3e0 AS DOUBLE PRECISION) * "income" / "weight"
    END AS "weighted"
  FROM (
    SELECT
      "customer_id",
      "age",
      "income",
      "household",
      "region",
      "since",
      "lapsed",
      "known",
      "block",
      POWER(
        CAST(0.7e0 AS DOUBLE PRECISION),
        (
          "known" - CAST(1e0 AS DOUBLE PRECISION)
        ) - "block" * CAST(388e0 AS DOUBLE PRECISION)
      ) AS "weight"
    FROM (
      SELECT
        "customer_id",
        "age",
        "income",
        "household",
        "region",
        "since",
        "lapsed",
        "known",
        FLOOR((
          "known" - CAST(1e0 AS DOUBLE PRECISION)
        ) / CAST(388e0 AS DOUBLE PRECISION)) AS "block"
      FROM (
        SELECT
          "customer_id",
          "age",
          "income",
          "household",
          "region",
          "since",
          "lapsed",
          COUNT("income") OVER (
            PARTITION BY "region"
            ORDER BY "since", "customer_id"
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) AS "known"
        FROM "example_results"."Customer"
        WHERE
          NOT "since" IS NULL AND NOT "region" IS NULL
        OFFSET 0
      ) AS "rows"
      OFFSET 0
    ) AS "rows"
    OFFSET 0
  ) AS "rows"
  OFFSET 0
) AS "rows";
