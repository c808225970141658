-- step 'income_groups': EquifrequentDiscretizationGivenNoOfIntervals
CREATE VIEW `example_results`.`income_groups` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE
    WHEN `income` <= 30766e0
    THEN 'up to 30766'
    WHEN `income` <= 39402e0
    THEN '30766 to 39402'
    WHEN `income` <= 45085e0
    THEN '39402 to 45085'
    WHEN NOT `income` IS NULL
    THEN 'above 45085'
  END AS `income_group`
FROM `example_results`.`Customer`;
