-- step 'decades': EquidistantDiscretizationGivenWidth
CREATE VIEW "example_results"."decades" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "age" < CAST(25e0 AS DOUBLE PRECISION)
    THEN 'below 25'
    WHEN "age" < CAST(35e0 AS DOUBLE PRECISION)
    THEN '25 to 35'
    WHEN "age" < CAST(45e0 AS DOUBLE PRECISION)
    THEN '35 to 45'
    WHEN "age" < CAST(55e0 AS DOUBLE PRECISION)
    THEN '45 to 55'
    WHEN "age" < CAST(65e0 AS DOUBLE PRECISION)
    THEN '55 to 65'
    WHEN "age" < CAST(75e0 AS DOUBLE PRECISION)
    THEN '65 to 75'
    WHEN "age" < CAST(85e0 AS DOUBLE PRECISION)
    THEN '75 to 85'
    WHEN NOT "age" IS NULL
    THEN '85 or more'
  END AS "age_group"
FROM "example_results"."Customer";
