-- step 'age_groups': UserDefinedDiscretization
CREATE VIEW "example_results"."age_groups" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "age" < CAST(30e0 AS DOUBLE PRECISION)
    THEN 'young'
    WHEN "age" < CAST(65e0 AS DOUBLE PRECISION)
    THEN 'middle'
    WHEN NOT "age" IS NULL
    THEN 'old'
  END AS "age_group"
FROM "example_results"."Customer";
