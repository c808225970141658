-- step 'age_groups': ErrorBasedDiscretizationGivenNoOfInt
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
    WHEN "age" <= CAST(61.5e0 AS DOUBLE PRECISION)
    THEN 'up to 61.5'
    WHEN "age" <= CAST(68.5e0 AS DOUBLE PRECISION)
    THEN '61.5 to 68.5'
    WHEN "age" <= CAST(77e0 AS DOUBLE PRECISION)
    THEN '68.5 to 77'
    WHEN NOT "age" IS NULL
    THEN 'above 77'
  END AS "age_group"
FROM "example_results"."Customer";
