-- step 'sample': RowSelectionByRandomSampling
CREATE VIEW `example_results`.`sample` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`
ORDER BY
  MD5(CAST(`customer_id` AS STRING) || ':sample' || ':7') NULLS LAST,
  `customer_id` NULLS LAST
LIMIT 1000;
