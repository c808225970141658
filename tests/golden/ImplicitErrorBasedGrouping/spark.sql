-- step 'regions': ImplicitErrorBasedGrouping
CREATE VIEW `example_results`.`regions` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  CASE WHEN `region` IN ('east', 'north', 'south') THEN 'east, north, south' END AS `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
