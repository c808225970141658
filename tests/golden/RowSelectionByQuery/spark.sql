-- step 'adults': RowSelectionByQuery
CREATE VIEW `example_results`.`adults` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`
WHERE
  `age` >= 18e0 AND `region` IN ('north', 'south');
