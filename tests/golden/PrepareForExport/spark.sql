-- step 'handed_over': PrepareForExport
CREATE VIEW `example_results`.`handed_over` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
