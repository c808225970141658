-- step 'relevant': FeatureSelectionByMarginBound
CREATE VIEW `example_results`.`relevant` AS
SELECT
  `customer_id`,
  `age`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
