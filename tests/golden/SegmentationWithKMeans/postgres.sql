-- step 'kinds': SegmentationWithKMeans
CREATE TABLE "example_results"."kinds" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN (
      "nearness1" + (
        "nearness2" + "nearness3"
      )
    ) IS NULL
    THEN NULL
    WHEN "nearness1" >= GREATEST("nearness2", "nearness3")
    THEN '1'
    WHEN "nearness2" >= "nearness3"
    THEN '2'
    ELSE '3'
  END AS "segment"
FROM (
  SELECT
    "customer_id",
    "age",
    "income",
    "household",
    "region",
    "since",
    "lapsed",
    CAST(0.666077e0 AS DOUBLE PRECISION) + (
      CAST(2.43681e-5 AS DOUBLE PRECISION) * "income" + -CAST(0.6705e0 AS DOUBLE PRECISION) * "household"
    ) AS "nearness1",
    -CAST(5.11106e0 AS DOUBLE PRECISION) + (
      CAST(5.17437e-5 AS DOUBLE PRECISION) * "income" + CAST(0.786573e0 AS DOUBLE PRECISION) * "household"
    ) AS "nearness2",
    CAST(4.05748e0 AS DOUBLE PRECISION) + (
      -CAST(0.000124572e0 AS DOUBLE PRECISION) * "income" + -CAST(0.0720327e0 AS DOUBLE PRECISION) * "household"
    ) AS "nearness3"
  FROM "example_results"."Customer"
  OFFSET 0
) AS "rows";
