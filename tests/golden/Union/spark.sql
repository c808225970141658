-- step 'everybody': Union
CREATE VIEW `example_results`.`everybody` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`
  FROM `example_results`.`Customer`
  UNION ALL
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`
  FROM `example_results`.`Prospect`
) AS `rows`;
