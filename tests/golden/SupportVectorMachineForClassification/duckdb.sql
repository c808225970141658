-- step 'with_risk': SupportVectorMachineForClassification: with_risk.support_vectors
CREATE TABLE "example_results"."with_risk.support_vectors" AS
SELECT
  "position",
  "part",
  "c1",
  "x1",
  "x2",
  "x3",
  "x4",
  "x5"
FROM (VALUES
  (0e0, 0e0, -1e0, 0.85134e0, -0.14199e0, 1.22474e0, -0.612372e0, -0.697486e0),
  (1e0, 0e0, -1e0, 1.44636e0, 0.638957e0, -0.816497e0, 1.63299e0, -0.697486e0),
  (2e0, 0e0, -2e0, 0.988653e0, -0.14199e0, 1.22474e0, -0.612372e0, -0.697486e0),
  -- and more rows like these
  (27e0, 0e0, 1e0, 1.0802e0, -0.922938e0, 1.22474e0, -0.612372e0, -0.697486e0)) AS "rows"("position", "part", "c1", "x1", "x2", "x3", "x4", "x5");
-- step 'with_risk': SupportVectorMachineForClassification
CREATE TABLE "example_results"."with_risk" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE WHEN "score1" BETWEEN -1e300 AND 1e300 THEN "score1" END AS "risk",
  CASE
    WHEN "score1" BETWEEN -1e300 AND 0e0
    THEN 'no'
    WHEN "score1" BETWEEN 0e0 AND 1e300
    THEN 'yes'
  END AS "risk_label"
FROM (
  SELECT
    "customer_id",
    "age",
    "income",
    "household",
    "region",
    "since",
    "lapsed",
    CASE
      WHEN "total" BETWEEN -1e300 AND 1e300
      THEN CASE WHEN "exponent" > -700e0 THEN EXP("exponent") * "computed_0" ELSE 0e0 END + -0.0946802e0
    END AS "score1"
  FROM (
    SELECT
      "rows"."customer_id",
      "rows"."age",
      "rows"."income",
      "rows"."household",
      "rows"."region",
      "rows"."since",
      "rows"."lapsed",
      "rows"."total",
      "rows"."exponent",
      LIST_REDUCE(
        "model"."vectors_0",
        LAMBDA "t", "s" : "t" + (
          "s"."c1" * EXP(LIST_INNER_PRODUCT("rows"."vector_1", "s"."v1")) + (
            "s"."c2" * EXP(LIST_INNER_PRODUCT("rows"."vector_1", "s"."v2")) + "s"."c3" * EXP(LIST_INNER_PRODUCT("rows"."vector_1", "s"."v3"))
          ) + (
            "s"."c4" * EXP(LIST_INNER_PRODUCT("rows"."vector_1", "s"."v4")) + "s"."c5" * EXP(LIST_INNER_PRODUCT("rows"."vector_1", "s"."v5")) + (
              "s"."c6" * EXP(LIST_INNER_PRODUCT("rows"."vector_1", "s"."v6")) + "s"."c7" * EXP(LIST_INNER_PRODUCT("rows"."vector_1", "s"."v7"))
            )
          )
        ),
        0e0
      ) AS "computed_0"
    FROM (
      SELECT
        "customer_id",
        "age",
        "income",
        "household",
        "region",
        "since",
        "lapsed",
        "total",
        ["moved_1", "moved_2", "moved_3", "moved_4", "moved_5"] AS "vector_1",
        -0.2e0 * (
          "moved_1" * "moved_1" + "moved_2" * "moved_2" + (
            "moved_3" * "moved_3" + (
              "moved_4" * "moved_4" + "moved_5" * "moved_5"
            )
          )
        ) AS "exponent"
      FROM (
        SELECT
          "customer_id",
          "age",
          "income",
          "household",
          "region",
          "since",
          "lapsed",
          "total",
          COALESCE("x1", 0e0) - 0.24324e0 AS "moved_1",
          COALESCE("x2", 0e0) - -0.4209e0 AS "moved_2",
          COALESCE("x3", 0e0) - -0.0145803e0 AS "moved_3",
          COALESCE("x4", 0e0) - 0.109352e0 AS "moved_4",
          COALESCE("x5", 0e0) - -0.0885696e0 AS "moved_5"
        FROM (
          SELECT
            "customer_id",
            "age",
            "income",
            "household",
            "region",
            "since",
            "lapsed",
            "x1",
            "x2",
            "x3",
            "x4",
            "x5",
            "x1" + "x2" + (
              "x3" + (
                "x4" + "x5"
              )
            ) AS "total"
          FROM (
            SELECT
              "customer_id",
              "age",
              "income",
              "household",
              "region",
              "since",
              "lapsed",
              0.045771e0 * (
                "age" - 54.4e0
              ) AS "x1",
              0.780948e0 * (
                "household" - 3.18182e0
              ) AS "x2",
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
              END AS "x3",
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
              END AS "x4",
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
              END AS "x5"
            FROM "example_results"."Customer"
          ) AS "rows"
        ) AS "rows"
      ) AS "rows"
    ) AS "rows"
    CROSS JOIN (
      SELECT
        LIST_TRANSFORM(
          RANGE(1, LEN("c1") + 1, 7),
          LAMBDA "i" : {'v1': COALESCE(LIST_EXTRACT("v", "i" + 0), LIST_EXTRACT("v", 1)), 'c1': COALESCE(LIST_EXTRACT("c1", "i" + 0), 0e0), 'v2': COALESCE(LIST_EXTRACT("v", "i" + 1), LIST_EXTRACT("v", 1)), 'c2': COALESCE(LIST_EXTRACT("c1", "i" + 1), 0e0), 'v3': COALESCE(LIST_EXTRACT("v", "i" + 2), LIST_EXTRACT("v", 1)), 'c3': COALESCE(LIST_EXTRACT("c1", "i" + 2), 0e0), 'v4': COALESCE(LIST_EXTRACT("v", "i" + 3), LIST_EXTRACT("v", 1)), 'c4': COALESCE(LIST_EXTRACT("c1", "i" + 3), 0e0), 'v5': COALESCE(LIST_EXTRACT("v", "i" + 4), LIST_EXTRACT("v", 1)), 'c5': COALESCE(LIST_EXTRACT("c1", "i" + 4), 0e0), 'v6': COALESCE(LIST_EXTRACT("v", "i" + 5), LIST_EXTRACT("v", 1)), 'c6': COALESCE(LIST_EXTRACT("c1", "i" + 5), 0e0), 'v7': COALESCE(LIST_EXTRACT("v", "i" + 6), LIST_EXTRACT("v", 1)), 'c7': COALESCE(LIST_EXTRACT("c1", "i" + 6), 0e0)}
        ) AS "vectors_0"
      FROM (
        SELECT
          ARRAY_AGG("v" ORDER BY "position") AS "v",
          ARRAY_AGG("c1" ORDER BY "position") AS "c1"
        FROM (
          SELECT
            "position",
            "c1" * "weight" AS "c1",
            "v"
          FROM (
            SELECT
              "position",
              "c1",
              [
                0.4e0 * "moved_1",
                0.4e0 * "moved_2",
                0.4e0 * "moved_3",
                0.4e0 * "moved_4",
                0.4e0 * "moved_5"
              ] AS "v",
              EXP(
                -0.2e0 * (
                  "moved_1" * "moved_1" + "moved_2" * "moved_2" + (
                    "moved_3" * "moved_3" + (
                      "moved_4" * "moved_4" + "moved_5" * "moved_5"
                    )
                  )
                )
              ) AS "weight"
            FROM (
              SELECT
                "position",
                "c1",
                "x1" - 0.24324e0 AS "moved_1",
                "x2" - -0.4209e0 AS "moved_2",
                "x3" - -0.0145803e0 AS "moved_3",
                "x4" - 0.109352e0 AS "moved_4",
                "x5" - -0.0885696e0 AS "moved_5"
              FROM "example_results"."with_risk.support_vectors"
            ) AS "rows"
          ) AS "rows"
        ) AS "rows"
      ) AS "rows"
    ) AS "model"
  ) AS "rows"
) AS "rows";
