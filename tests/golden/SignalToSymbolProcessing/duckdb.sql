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
    WHEN "household_slope" * "duration" > 1.5e0
    THEN 'rising'
    WHEN "household_slope" * "duration" < -1.5e0
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
      MAX((
        "household" - "origin" - 1.5e0
      ) / NULLIF("moment" - "since_", 0e0)) OVER (PARTITION BY "region", "opened") + MIN((
        "household" - "origin" + 1.5e0
      ) / NULLIF("moment" - "since_", 0e0)) OVER (PARTITION BY "region", "opened")
    ) / 2e0 AS "household_slope",
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
            CAST(DATE_DIFF('DAY', CAST('1970-01-01' AS DATE), CAST("since" AS DATE)) AS DOUBLE) + (
              CAST(EXTRACT(HOUR FROM "since") AS DOUBLE) * 3600e0 + CAST(EXTRACT(MINUTE FROM "since") AS DOUBLE) * 60e0 + CAST(FLOOR(EXTRACT(SECOND FROM "since")) AS DOUBLE)
            ) / 86400e0 AS "moment"
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
            CAST(NULL AS DOUBLE) AS "low",
            CAST(NULL AS DOUBLE) AS "high"
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
            CASE WHEN "opens" = 1e0 THEN "place" ELSE "opened" END AS "opened",
            CASE WHEN "opens" = 1e0 THEN "moment" ELSE "since_" END AS "since_",
            CASE WHEN "opens" = 1e0 THEN "household" ELSE "origin" END AS "origin",
            CASE WHEN "opens" = 1e0 THEN CAST(NULL AS DOUBLE) ELSE "at least" END AS "low",
            CASE WHEN "opens" = 1e0 THEN CAST(NULL AS DOUBLE) ELSE "at most" END AS "high"
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
                  "moment" = "since_" AND ABS("household" - "origin") > 1.5e0
                )
                THEN 1e0
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
                GREATEST("low", (
                  "household" - "origin" - 1.5e0
                ) / NULLIF("moment" - "since_", 0e0)) AS "at least",
                LEAST("high", (
                  "household" - "origin" + 1.5e0
                ) / NULLIF("moment" - "since_", 0e0)) AS "at most"
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
            ) AS "rows"
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
  ) AS "rows"
) AS "rows"
WHERE
  "place" = "opened";
