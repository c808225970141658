-- step 'smooth': WeightedMovingFunction
CREATE VIEW "example_results"."smooth" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  "since_start",
  "household_average"
FROM (
  SELECT
    "customer_id",
    "age",
    "income",
    "household",
    "region",
    "since",
    "lapsed",
    LAG("since", 2) OVER (PARTITION BY "region" ORDER BY "since", "customer_id") AS "since_start",
    CAST(0.2e0 AS DOUBLE PRECISION) * LAG("household", 2) OVER (PARTITION BY "region" ORDER BY "since", "customer_id") + (
      CAST(0.3e0 AS DOUBLE PRECISION) * LAG("household", 1) OVER (PARTITION BY "region" ORDER BY "since", "customer_id") + CAST(0.5e0 AS DOUBLE PRECISION) * "household"
    ) AS "household_average",
    ROW_NUMBER() OVER (PARTITION BY "region" ORDER BY "since", "customer_id") AS "place"
  FROM "example_results"."Customer"
  WHERE
    NOT "since" IS NULL AND NOT "region" IS NULL
  OFFSET 0
) AS "rows"
WHERE
  "place" >= 3;
