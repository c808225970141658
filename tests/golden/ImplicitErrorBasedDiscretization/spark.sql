-- step 'household_groups': ImplicitErrorBasedDiscretization
CREATE VIEW `example_results`.`household_groups` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE
    WHEN `household` <= 2.5e0
    THEN 'up to 2.5'
    WHEN NOT `household` IS NULL
    THEN 'above 2.5'
  END AS `household_group`
FROM `example_results`.`Customer`;
