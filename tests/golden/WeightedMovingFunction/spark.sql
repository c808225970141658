-- step 'smooth': WeightedMovingFunction
CREATE VIEW `example_results`.`smooth` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  `since_start`,
  `household_average`
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
    0.2e0 * LAG(`household`, 2) OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) + (
      0.3e0 * LAG(`household`, 1) OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) + 0.5e0 * `household`
    ) AS `household_average`,
    ROW_NUMBER() OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `place`
  FROM `example_results`.`Customer`
  WHERE
    NOT `since` IS NULL AND NOT `region` IS NULL
) AS `rows`
WHERE
  `place` >= 3;
