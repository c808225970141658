-- step 'regions': ErrorBasedGroupingGivenNoOfGroups
CREATE VIEW `example_results`.`regions` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE WHEN `region` IN ('east', 'north', 'south') THEN 'east, north, south' END AS `region_group`
FROM `example_results`.`Customer`;
