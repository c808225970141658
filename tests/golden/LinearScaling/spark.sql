-- step 'scaled': LinearScaling
CREATE VIEW `example_results`.`scaled` AS
SELECT
  `customer_id`,
  `age`,
  (
    `income` - 11616e0
  ) * 1.99275e-5 AS `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
