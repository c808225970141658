-- step 'regions': GroupingGivenMinCardinality
CREATE VIEW `example_results`.`regions` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  CASE
    WHEN `region` = 'east'
    THEN 'east'
    WHEN `region` IN ('north', 'south')
    THEN 'north, south'
    WHEN NOT `region` IS NULL
    THEN 'elsewhere'
  END AS `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
