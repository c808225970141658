-- step 'both': JoinByKey
CREATE VIEW `example_results`.`both` AS
SELECT
  `Customer`.`customer_id`,
  `Customer`.`age`,
  `Customer`.`income`,
  `Customer`.`household`,
  `Customer`.`region`,
  `Customer`.`since`,
  `Customer`.`lapsed`,
  `Rating`.`income` AS `rated_income`,
  `Rating`.`grade`
FROM `example_results`.`Customer` AS `Customer`
INNER JOIN `example_results`.`Rating` AS `Rating`
  ON `Customer`.`customer_id` = `Rating`.`rated_customer`;
