-- step 'age_groups': NumericIntervalManualDiscretization
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
    WHEN `age` >= 18e0 AND `age` < 30e0
    THEN 'young'
    WHEN `age` >= 30e0 AND `age` < 65e0
    THEN 'middle'
    WHEN `age` >= 65e0
    THEN 'old'
    WHEN NOT `age` IS NULL
    THEN 'child'
  END AS `age_group`
FROM `example_results`.`Customer`;
