-- step 'with_year': DateToNumeric
CREATE VIEW `example_results`.`with_year` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CAST(EXTRACT(YEAR FROM `since`) AS DOUBLE) AS `since_year`
FROM `example_results`.`Customer`;
