-- step 'thirds': SegmentationByPartitioning
CREATE VIEW `example_results`.`thirds` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE
    WHEN MD5(CAST(`customer_id` AS STRING) || ':partition' || ':4') < '55555555'
    THEN '1'
    WHEN MD5(CAST(`customer_id` AS STRING) || ':partition' || ':4') < 'aaaaaaab'
    THEN '2'
    ELSE '3'
  END AS `segment`
FROM `example_results`.`Customer`;
