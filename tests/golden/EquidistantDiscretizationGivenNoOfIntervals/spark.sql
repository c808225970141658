-- step 'age_groups': EquidistantDiscretizationGivenNoOfIntervals
CREATE VIEW `example_results`.`age_groups` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE
    WHEN `age` < 32.2e0
    THEN 'below 32.2'
    WHEN `age` < 46.4e0
    THEN '32.2 to 46.4'
    WHEN `age` < 60.6e0
    THEN '46.4 to 60.6'
    WHEN `age` < 74.8e0
    THEN '60.6 to 74.8'
    WHEN NOT `age` IS NULL
    THEN '74.8 or more'
  END AS `age_group`
FROM `example_results`.`Customer`;
