-- step 'mapped': Mapping
CREATE VIEW `example_results`.`mapped` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  CASE
    WHEN `region` = 'north'
    THEN 'coast'
    WHEN `region` = 'south'
    THEN 'inland'
    WHEN `region` IS NULL
    THEN NULL
    ELSE 'other'
  END AS `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
