-- step 'age_groups': UserDefinedDiscretization
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
    WHEN `age` < 30e0
    THEN 'young'
    WHEN `age` < 65e0
    THEN 'middle'
    WHEN NOT `age` IS NULL
    THEN 'old'
  END AS `age_group`
FROM `example_results`.`Customer`;
