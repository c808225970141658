-- step 'phases': SignalToSymbolProcessing
CREATE VIEW "example_results"."phases" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  "since_end",
  "household_average",
  "household_slope",
  CASE
    WHEN "household_slope" * "duration" > CAST(1.5e0 AS DOUBLE PRECISION)
    THEN 'rising'
    WHEN "household_slope" * "duration" < -CAST(1.5e0 AS DOUBLE PRECISION)
    THEN 'falling'
    ELSE 'steady'
  END AS "phase"
FROM (
  SELECT
    "customer_id",
    "age",
    "income",
    "household",
    "region",
    "since",
    "lapsed",
    "place",
    "moment",
    "opened",
    "since_",
    "origin",
    MAX("since") OVER (PARTITION BY "region", "opened") AS "since_end",
    AVG("household") OVER (PARTITION BY "region", "opened") AS "household_average",
    (
      MAX(
        (
          "household" - "origin" - CAST(1.5e0 AS DOUBLE PRECISION)
        ) / NULLIF("moment" - "since_", CAST(0e0 AS DOUBLE PRECISION))
      ) OVER (PARTITION BY "region", "opened") + MIN(
        (
          "household" - "origin" + CAST(1.5e0 AS DOUBLE PRECISION)
        ) / NULLIF("moment" - "since_", CAST(0e0 AS DOUBLE PRECISION))
      ) OVER (PARTITION BY "region", "opened")
    ) / CAST(2e0 AS DOUBLE PRECISION) AS "household_slope",
    MAX("moment") OVER (PARTITION BY "region", "opened") - "since_" AS "duration"
  FROM (
    SELECT
      "customer_id",
      "age",
      "income",
      "household",
      "region",
      "since",
      "lapsed",
      "place",
      "moment",
      "opened",
      MIN("moment") OVER (PARTITION BY "region", "opened") AS "since_",
      MAX(CASE WHEN "place" = "opened" THEN "household" END) OVER (PARTITION BY "region", "opened") AS "origin"
    FROM (
      SELECT
        "customer_id",
        "age",
        "income",
        "household",
        "region",
        "since",
        "lapsed",
        "place",
        "moment",
        "opened"
      FROM (
        WITH RECURSIVE "series in order" AS (
          SELECT
            "customer_id",
            "age",
            "income",
            "household",
            "region",
            "since",
            "lapsed",
            ROW_NUMBER() OVER (PARTITION BY "region" ORDER BY "since", "customer_id") AS "place",
            CAST(CAST(EXTRACT(epoch FROM CAST(CAST("since" AS DATE) AS TIMESTAMP) - CAST(CAST('1970-01-01' AS DATE) AS TIMESTAMP)) / 86400 AS BIGINT) AS DOUBLE PRECISION) + (
              CAST(EXTRACT(HOUR FROM "since") AS DOUBLE PRECISION) * CAST(3600e0 AS DOUBLE PRECISION) + CAST(EXTRACT(MINUTE FROM "since") AS DOUBLE PRECISION) * CAST(60e0 AS DOUBLE PRECISION) + CAST(FLOOR(EXTRACT(SECOND FROM "since")) AS DOUBLE PRECISION)
            ) / CAST(86400e0 AS DOUBLE PRECISION) AS "moment"
          FROM "example_results"."Customer"
          WHERE
            NOT "since" IS NULL AND NOT "region" IS NULL AND NOT "household" IS NULL
        ), "intervals so far" AS (
          SELECT
            "customer_id",
            "age",
            "income",
            "household",
            "region",
            "since",
            "lapsed",
            "place",
            "moment",
            "place" AS "opened",
            "moment" AS "since_",
            "household" AS "origin",
            CAST(NULL AS DOUBLE PRECISION) AS "low",
            CAST(NULL AS DOUBLE PRECISION) AS "high"
          FROM "series in order"
          WHERE
            "place" = 1
          UNION ALL
          SELECT
            "customer_id",
            "age",
            "income",
            "household",
            "region",
            "since",
            "lapsed",
            "place",
            "moment",
            CASE WHEN "opens" = CAST(1e0 AS DOUBLE PRECISION) THEN "place" ELSE "opened" END AS "opened",
            CASE WHEN "opens" = CAST(1e0 AS DOUBLE PRECISION) THEN "moment" ELSE "since_" END AS "since_",
            CASE WHEN "opens" = CAST(1e0 AS DOUBLE PRECISION) THEN "household" ELSE "origin" END AS "origin",
            CASE
              WHEN "opens" = CAST(1e0 AS DOUBLE PRECISION)
              THEN CAST(NULL AS DOUBLE PRECISION)
              ELSE "at least"
            END AS "low",
            CASE
              WHEN "opens" = CAST(1e0 AS DOUBLE PRECISION)
              THEN CAST(NULL AS DOUBLE PRECISION)
              ELSE "at most"
            END AS "high"
          FROM (
            SELECT
              "customer_id",
              "age",
              "income",
              "household",
              "region",
              "since",
              "lapsed",
              "place",
              "moment",
              "opened",
              "since_",
              "origin",
              "at least",
              "at most",
              CASE
                WHEN "at least" > "at most"
                OR (
                  "moment" = "since_"
                  AND ABS("household" - "origin") > CAST(1.5e0 AS DOUBLE PRECISION)
                )
                THEN CAST(1e0 AS DOUBLE PRECISION)
              END AS "opens"
            FROM (
              SELECT
                "customer_id",
                "age",
                "income",
                "household",
                "region",
                "since",
                "lapsed",
                "place",
                "moment",
                "opened",
                "since_",
                "origin",
                GREATEST(
                  "low",
                  (
                    "household" - "origin" - CAST(1.5e0 AS DOUBLE PRECISION)
                  ) / NULLIF("moment" - "since_", CAST(0e0 AS DOUBLE PRECISION))
                ) AS "at least",
                LEAST(
                  "high",
                  (
                    "household" - "origin" + CAST(1.5e0 AS DOUBLE PRECISION)
                  ) / NULLIF("moment" - "since_", CAST(0e0 AS DOUBLE PRECISION))
                ) AS "at most"
              FROM (
                SELECT
                  "row"."customer_id",
                  "row"."age",
                  "row"."income",
                  "row"."household",
                  "row"."region",
                  "row"."since",
                  "row"."lapsed",
                  "row"."place",
                  "row"."moment",
                  "last"."opened",
                  "last"."since_",
                  "last"."origin",
                  "last"."low",
                  "last"."high"
                FROM "intervals so far" AS "last"
                INNER JOIN "series in order" AS "row"
                  ON "row"."region" = "last"."region" AND "row"."place" = "last"."place" + 1
              ) AS "rows"
              OFFSET 0
            ) AS "rows"
            OFFSET 0
          ) AS "rows"
        )
        SELECT
          "customer_id",
          "age",
          "income",
          "household",
          "region",
          "since",
          "lapsed",
          "place",
          "moment",
          "opened",
          "since_",
          "origin",
          "low",
          "high"
        FROM "intervals so far"
      ) AS "rows"
    ) AS "rows"
    OFFSET 0
  ) AS "rows"
  OFFSET 0
) AS "rows"
WHERE
  "place" = "opened";
