-- step 'windows': Windowing
CREATE VIEW `example_results`.`windows` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  `since_start`,
  `income_1`,
  `income_2`,
  `income_3`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`,
    LAG(`since`, 2) OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `since_start`,
    LAG(`income`, 2) OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `income_1`,
    LAG(`income`, 1) OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `income_2`,
    `income` AS `income_3`,
    ROW_NUMBER() OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `place`
  FROM `example_results`.`Customer`
  WHERE
    NOT `since` IS NULL AND NOT `region` IS NULL
) AS `rows`
WHERE
  `place` >= 3 AND (
    `place` - 3
  ) % 2 = 0;
