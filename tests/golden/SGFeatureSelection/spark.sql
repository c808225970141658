-- step 'relevant': SGFeatureSelection
CREATE VIEW `example_results`.`relevant` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
