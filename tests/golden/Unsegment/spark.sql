-- step 'together': Unsegment
CREATE VIEW `example_results`.`together` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  `segment`
FROM `example_results`.`thirds`;
