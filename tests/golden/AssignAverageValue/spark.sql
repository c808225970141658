-- step 'filled': AssignAverageValue
CREATE VIEW `example_results`.`filled` AS
SELECT
  `customer_id`,
  `age`,
  COALESCE(`income`, 39066.2e0) AS `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
