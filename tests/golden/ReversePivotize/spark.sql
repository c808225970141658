-- step 'numbers': ReversePivotize
CREATE VIEW `example_results`.`numbers` AS
SELECT
  `customer_id`,
  `age`,
  `region`,
  `since`,
  `lapsed`,
  `what`,
  `how_much`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `region`,
    `since`,
    `lapsed`,
    'money' AS `what`,
    `income` AS `how_much`
  FROM `example_results`.`Customer`
  UNION ALL
  SELECT
    `customer_id`,
    `age`,
    `region`,
    `since`,
    `lapsed`,
    'people' AS `what`,
    `household` AS `how_much`
  FROM `example_results`.`Customer`
) AS `rows`;
