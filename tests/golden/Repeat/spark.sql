-- step 'twice': Repeat
CREATE VIEW `example_results`.`twice` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  `segment`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`,
    '1' AS `segment`
  FROM `example_results`.`Customer`
  UNION ALL
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`,
    '2' AS `segment`
  FROM `example_results`.`Customer`
) AS `rows`;
