-- step 'filled': MissingValueWithDecisionTree
CREATE TABLE `example_results`.`filled` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  COALESCE(
    `region`,
    CASE
      WHEN `age` BETWEEN -3.40282e38 AND 3.40282e38
      AND `household` BETWEEN -3.40282e38 AND 3.40282e38
      THEN CASE
        WHEN `age` > 81.5e0
        THEN 'north'
        WHEN `age` > 71.5e0
        THEN 'east'
        WHEN `age` <= 38e0
        THEN CASE WHEN `age` <= 25e0 THEN 'east' ELSE 'south' END
        WHEN `household` <= 1.5e0
        THEN 'south'
        WHEN `household` <= 4.5e0
        THEN 'east'
        ELSE 'south'
      END
    END
  ) AS `region`,
  `since`,
  `lapsed`
FROM `example_results`.`Customer`;
