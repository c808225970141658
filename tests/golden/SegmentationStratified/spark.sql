-- step 'by_region': SegmentationStratified
CREATE VIEW `example_results`.`by_region` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE WHEN `region` IN ('east', 'north', 'south') THEN `region` END AS `segment`
FROM `example_results`.`Customer`;
