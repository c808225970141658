-- step 'log_income': LogScaling
CREATE VIEW `example_results`.`log_income` AS
SELECT
  `customer_id`,
  `age`,
  CASE WHEN `income` > 0e0 THEN LN(`income`) END / 2.30259e0 AS `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
