-- step 'income_groups': EquifrequentDiscretizationGivenNoOfIntervals
CREATE VIEW "example_results"."income_groups" AS
SELECT
  "customer_id",
  "age",
  "income",
  "household",
  "region",
  "since",
  "lapsed",
  CASE
    WHEN "income" <= CAST(30766e0 AS DOUBLE PRECISION)
    THEN 'up to 30766'
    WHEN "income" <= CAST(39402e0 AS DOUBLE PRECISION)
    THEN '30766 to 39402'
    WHEN "income" <= CAST(45085e0 AS DOUBLE PRECISION)
    THEN '39402 to 45085'
    WHEN NOT "income" IS NULL
    THEN 'above 45085'
  END AS "income_group"
FROM "example_results"."Customer";
