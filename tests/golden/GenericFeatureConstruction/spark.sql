-- step 'with_ratio': GenericFeatureConstruction
CREATE VIEW `example_results`.`with_ratio` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  `income` / NULLIF(1e0 + `household`, 0e0) AS `income_per_head`
FROM `example_results`.`Customer`;
