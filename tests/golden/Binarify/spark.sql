-- step 'with_regions': Binarify
CREATE VIEW `example_results`.`with_regions` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE WHEN `region` = 'north' THEN 1e0 WHEN `region` <> 'north' THEN 0e0 END AS `region_north`,
  CASE WHEN `region` = 'south' THEN 1e0 WHEN `region` <> 'south' THEN 0e0 END AS `region_south`
FROM `example_results`.`Customer`;
