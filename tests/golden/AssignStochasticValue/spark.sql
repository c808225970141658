-- step 'filled': AssignStochasticValue
CREATE VIEW `example_results`.`filled` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  CASE
    WHEN NOT `region` IS NULL
    THEN `region`
    WHEN MD5(CAST(`customer_id` AS STRING) || ':value' || ':3') < '66666666'
    THEN 'east'
    WHEN MD5(CAST(`customer_id` AS STRING) || ':value' || ':3') < 'ac37dac3'
    THEN 'north'
    ELSE 'south'
  END AS `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
