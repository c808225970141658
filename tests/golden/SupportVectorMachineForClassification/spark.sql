-- step 'with_risk': SupportVectorMachineForClassification: with_risk.support_vectors
CREATE TABLE `example_results`.`with_risk_support_vectors_d5adf2e4` AS
SELECT
  `position`,
  `part`,
  `c1`,
  `x1`,
  `x2`,
  `x3`,
  `x4`,
  `x5`
FROM VALUES
  (0e0, 0e0, -1e0, 0.85134e0, -0.14199e0, 1.22474e0, -0.612372e0, -0.697486e0),
  (1e0, 0e0, -1e0, 1.44636e0, 0.638957e0, -0.816497e0, 1.63299e0, -0.697486e0),
  (2e0, 0e0, -2e0, 0.988653e0, -0.14199e0, 1.22474e0, -0.612372e0, -0.697486e0),
  -- and more rows like these
  (27e0, 0e0, 1e0, 1.0802e0, -0.922938e0, 1.22474e0, -0.612372e0, -0.697486e0) AS `rows`(`position`, `part`, `c1`, `x1`, `x2`, `x3`, `x4`, `x5`);
-- step 'with_risk': SupportVectorMachineForClassification
CREATE TABLE `example_results`.`with_risk` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE WHEN `score1` BETWEEN -1e300 AND 1e300 THEN `score1` END AS `risk`,
  CASE
    WHEN `score1` BETWEEN -1e300 AND 0e0
    THEN 'no'
    WHEN `score1` BETWEEN 0e0 AND 1e300
    THEN 'yes'
  END AS `risk_label`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`,
    CASE
      WHEN `total` BETWEEN -1e300 AND 1e300
      THEN AGGREGATE(
        ZIP_WITH(`kernel_0`, `vectors_0`, (`z`, `s`) -> `z` * `s`.`c1`),
        0e0,
        (`t`, `z`) -> `t` + `z`
      ) + -0.0946802e0
    END AS `score1`
  FROM (
    SELECT
      `rows`.`customer_id`,
      `rows`.`age`,
      `rows`.`income`,
      `rows`.`household`,
      `rows`.`region`,
      `rows`.`since`,
      `rows`.`lapsed`,
      `rows`.`total`,
      `model`.`vectors_0`,
      TRANSFORM(
        `model`.`vectors_0`,
        `s` -> EXP(
          -0.2e0 * (
            (
              `rows`.`x1` - `s`.`x1`
            ) * (
              `rows`.`x1` - `s`.`x1`
            ) + (
              `rows`.`x2` - `s`.`x2`
            ) * (
              `rows`.`x2` - `s`.`x2`
            ) + (
              (
                `rows`.`x3` - `s`.`x3`
              ) * (
                `rows`.`x3` - `s`.`x3`
              ) + (
                (
                  `rows`.`x4` - `s`.`x4`
                ) * (
                  `rows`.`x4` - `s`.`x4`
                ) + (
                  `rows`.`x5` - `s`.`x5`
                ) * (
                  `rows`.`x5` - `s`.`x5`
                )
              )
            )
          )
        )
      ) AS `kernel_0`
    FROM (
      SELECT
        `customer_id`,
        `age`,
        `income`,
        `household`,
        `region`,
        `since`,
        `lapsed`,
        `x1`,
        `x2`,
        `x3`,
        `x4`,
        `x5`,
        `x1` + `x2` + (
          `x3` + (
            `x4` + `x5`
          )
        ) AS `total`
      FROM (
        SELECT
          `customer_id`,
          `age`,
          `income`,
          `household`,
          `region`,
          `since`,
          `lapsed`,
          0.045771e0 * (
            `age` - 54.4e0
          ) AS `x1`,
          0.780948e0 * (
            `household` - 3.18182e0
          ) AS `x2`,
          CASE
            WHEN `region` = 'east'
            THEN 1.22474e0
            WHEN `region` = 'north'
            THEN -0.816497e0
            WHEN `region` = 'south'
            THEN -0.816497e0
            WHEN `region` IS NULL
            THEN NULL
            ELSE -0.816497e0
          END AS `x3`,
          CASE
            WHEN `region` = 'east'
            THEN -0.612372e0
            WHEN `region` = 'north'
            THEN 1.63299e0
            WHEN `region` = 'south'
            THEN -0.612372e0
            WHEN `region` IS NULL
            THEN NULL
            ELSE -0.612372e0
          END AS `x4`,
          CASE
            WHEN `region` = 'east'
            THEN -0.697486e0
            WHEN `region` = 'north'
            THEN -0.697486e0
            WHEN `region` = 'south'
            THEN 1.43372e0
            WHEN `region` IS NULL
            THEN NULL
            ELSE -0.697486e0
          END AS `x5`
        FROM `example_results`.`Customer`
      ) AS `rows`
    ) AS `rows`
    CROSS JOIN (
      SELECT
        SORT_ARRAY(
          COLLECT_LIST(STRUCT(`position`, `part`, `c1`, `x1`, `x2`, `x3`, `x4`, `x5`)) FILTER(WHERE
            `part` = 0e0)
        ) AS `vectors_0`
      FROM `example_results`.`with_risk_support_vectors_d5adf2e4`
    ) AS `model`
  ) AS `rows`
) AS `rows`;
