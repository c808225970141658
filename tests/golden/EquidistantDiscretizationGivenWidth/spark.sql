-- step 'decades': EquidistantDiscretizationGivenWidth
CREATE VIEW `example_results`.`decades` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE
    WHEN `age` < 25e0
    THEN 'below 25'
    WHEN `age` < 35e0
    THEN '25 to 35'
    WHEN `age` < 45e0
    THEN '35 to 45'
    WHEN `age` < 55e0
    THEN '45 to 55'
    WHEN `age` < 65e0
    THEN '55 to 65'
    WHEN `age` < 75e0
    THEN '65 to 75'
    WHEN `age` < 85e0
    THEN '75 to 85'
    WHEN NOT `age` IS NULL
    THEN '85 or more'
  END AS `age_group`
FROM `example_results`.`Customer`;
