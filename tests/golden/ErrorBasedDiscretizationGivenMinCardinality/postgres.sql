-- step 'age_groups': ErrorBasedDiscretizationGivenMinCardinality
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
    WHEN "age" <= CAST(71.5e0 AS DOUBLE PRECISION)
    THEN '61.5 to 71.5'
    WHEN NOT "age" IS NULL
    THEN 'above 71.5'
  END AS "age_group"
FROM "example_results"."Customer";
