-- step 'slim': FeatureSelectionByAttributes
CREATE VIEW `example_results`.`slim` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `region`,
  `lapsed`
FROM `example_results`.`Customer`;
