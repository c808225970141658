-- step 'smooth': SimpleMovingFunction
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
    LAG(`since`, 3) OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `since_start`,
    CASE
      WHEN COUNT(`household`) OVER (
        PARTITION BY `region`
        ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST
        ROWS BETWEEN 3 PRECEDING AND CURRENT ROW
      ) = 4
      THEN AVG(`household`) OVER (
        PARTITION BY `region`
        ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST
        ROWS BETWEEN 3 PRECEDING AND CURRENT ROW
      )
    END AS `household_average`,
    ROW_NUMBER() OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `place`
  FROM `example_results`.`Customer`
  WHERE
    NOT `since` IS NULL AND NOT `region` IS NULL
) AS `rows`
WHERE
  `place` >= 4;
