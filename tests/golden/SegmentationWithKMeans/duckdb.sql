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
    WHEN "nearness1" >= CASE
      WHEN "nearness2" IS NULL OR "nearness3" IS NULL
      THEN NULL
      ELSE GREATEST("nearness2", "nearness3")
    END
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
    0.666077e0 + (
      2.43681e-5 * "income" + -0.6705e0 * "household"
    ) AS "nearness1",
    -5.11106e0 + (
      5.17437e-5 * "income" + 0.786573e0 * "household"
    ) AS "nearness2",
    4.05748e0 + (
      -0.000124572e0 * "income" + -0.0720327e0 * "household"
    ) AS "nearness3"
  FROM "example_results"."Customer"
) AS "rows";
