-- step 'different': StatisticalFeatureSelection
CREATE VIEW `example_results`.`different` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
