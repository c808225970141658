-- step 'smooth': ExponentialMovingFunction
CREATE VIEW `example_results`.`smooth` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE
    WHEN `known` > 0
    THEN `weight` * (
      SUM(`weighted`) OVER (
        PARTITION BY `region`, `block`
        ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) + 7.90751e-61 * COALESCE(
        SUM(`weighted`) OVER (
          PARTITION BY `region`
          ORDER BY `block` NULLS LAST
          RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING
        ),
        0e0
      )
    )
  END AS `income_average`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`,
    `known`,
    `block`,
    `weight`,
    CASE
      WHEN `income` IS NULL
      THEN 0e0
      WHEN `known` = 1
      THEN `income`
      ELSE 0.3e0 * `income` / `weight`
    END AS `weighted`
  FROM (
    SELECT
      `customer_id`,
      `age`,
      `income`,
      `household`,
      `region`,
      `since`,
      `lapsed`,
      `known`,
      `block`,
      POWER(0.7e0, (
        `known` - 1e0
      ) - `block` * 388e0) AS `weight`
    FROM (
      SELECT
        `customer_id`,
        `age`,
        `income`,
        `household`,
        `region`,
        `since`,
        `lapsed`,
        `known`,
        CASE
          WHEN ABS((
            `known` - 1e0
          ) / 388e0) < 4.5036e15
          THEN FLOOR((
            `known` - 1e0
          ) / 388e0)
          ELSE (
            `known` - 1e0
          ) / 388e0
        END AS `block`
      FROM (
        SELECT
          `customer_id`,
          `age`,
          `income`,
          `household`,
          `region`,
          `since`,
          `lapsed`,
          COUNT(`income`) OVER (
            PARTITION BY `region`
            ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) AS `known`
        FROM `example_results`.`Customer`
        WHERE
          NOT `since` IS NULL AND NOT `region` IS NULL
      ) AS `rows`
    ) AS `rows`
  ) AS `rows`
) AS `rows`;
