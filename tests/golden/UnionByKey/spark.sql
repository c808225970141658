-- step 'either': UnionByKey
CREATE VIEW `example_results`.`either` AS
SELECT
  COALESCE(`Customer`.`customer_id`, `Rating`.`rated_customer`) AS `customer_id`,
  `Customer`.`age`,
  `Customer`.`income`,
  `Customer`.`household`,
  `Customer`.`region`,
  `Customer`.`since`,
  `Customer`.`lapsed`,
  `Rating`.`income` AS `rated_income`,
  `Rating`.`grade`
FROM `example_results`.`Customer` AS `Customer`
FULL JOIN `example_results`.`Rating` AS `Rating`
  ON `Customer`.`customer_id` = `Rating`.`rated_customer`;
