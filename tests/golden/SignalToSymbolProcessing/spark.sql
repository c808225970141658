-- step 'phases': SignalToSymbolProcessing
CREATE VIEW `example_results`.`phases` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  `since_end`,
  `household_average`,
  `household_slope`,
  CASE
    WHEN `household_slope` * `duration` > 1.5e0
    THEN 'rising'
    WHEN `household_slope` * `duration` < -1.5e0
    THEN 'falling'
    ELSE 'steady'
  END AS `phase`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`,
    `place`,
    `moment`,
    `opened`,
    `since_`,
    `origin`,
    MAX(`since`) OVER (PARTITION BY `region`, `opened`) AS `since_end`,
    AVG(`household`) OVER (PARTITION BY `region`, `opened`) AS `household_average`,
    (
      MAX((
        `household` - `origin` - 1.5e0
      ) / NULLIF(`moment` - `since_`, 0e0)) OVER (PARTITION BY `region`, `opened`) + MIN((
        `household` - `origin` + 1.5e0
      ) / NULLIF(`moment` - `since_`, 0e0)) OVER (PARTITION BY `region`, `opened`)
    ) / 2e0 AS `household_slope`,
    MAX(`moment`) OVER (PARTITION BY `region`, `opened`) - `since_` AS `duration`
  FROM (
    SELECT
      `customer_id`,
      `age`,
      `income`,
      `household`,
      `region`,
      `since`,
      `lapsed`,
      `place`,
      `moment`,
      `opened`,
      MIN(`moment`) OVER (PARTITION BY `region`, `opened`) AS `since_`,
      MAX(CASE WHEN `place` = `opened` THEN `household` END) OVER (PARTITION BY `region`, `opened`) AS `origin`
    FROM (
      SELECT
        `customer_id`,
        `age`,
        `income`,
        `household`,
        `region`,
        `since`,
        `lapsed`,
        `place`,
        `moment`,
        MAX(CASE WHEN ARRAY_CONTAINS(`places`, `place`) THEN `place` END) OVER (PARTITION BY `region` ORDER BY `place` NULLS LAST) AS `opened`
      FROM (
        SELECT
          `rows of series`.`customer_id`,
          `rows of series`.`age`,
          `rows of series`.`income`,
          `rows of series`.`household`,
          `rows of series`.`region`,
          `rows of series`.`since`,
          `rows of series`.`lapsed`,
          `rows of series`.`place`,
          `rows of series`.`moment`,
          `series`.`places`
        FROM (
          SELECT
            `customer_id`,
            `age`,
            `income`,
            `household`,
            `region`,
            `since`,
            `lapsed`,
            ROW_NUMBER() OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `place`,
            CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`since` AS DATE)) AS DOUBLE) + (
              CAST(EXTRACT(HOUR FROM `since`) AS DOUBLE) * 3600e0 + CAST(EXTRACT(MINUTE FROM `since`) AS DOUBLE) * 60e0 + CAST(CASE
                WHEN ABS(EXTRACT(SECOND FROM `since`)) < 4.5036e15
                THEN FLOOR(EXTRACT(SECOND FROM `since`))
                ELSE EXTRACT(SECOND FROM `since`)
              END AS DOUBLE)
            ) / 86400e0 AS `moment`
          FROM `example_results`.`Customer`
          WHERE
            NOT `since` IS NULL AND NOT `region` IS NULL AND NOT `household` IS NULL
        ) AS `rows of series`
        INNER JOIN (
          SELECT
            `region`,
            AGGREGATE(
              SORT_ARRAY(COLLECT_LIST(STRUCT(`place`, `moment`, `household`))),
              NAMED_STRUCT(
                'since',
                0e0,
                'origin',
                0e0,
                'low',
                CAST(NULL AS DOUBLE),
                'high',
                CAST(NULL AS DOUBLE),
                'places',
                CAST(ARRAY() AS ARRAY<BIGINT>)
              ),
              (`s`, `v`) -> CASE
                WHEN SIZE(`s`.`places`) = 0
                OR (
                  GREATEST(
                    `s`.`low`,
                    (
                      `v`.`household` - `s`.`origin` - 1.5e0
                    ) / NULLIF(`v`.`moment` - `s`.`since`, 0e0)
                  ) > LEAST(
                    `s`.`high`,
                    (
                      `v`.`household` - `s`.`origin` + 1.5e0
                    ) / NULLIF(`v`.`moment` - `s`.`since`, 0e0)
                  )
                  OR (
                    `v`.`moment` = `s`.`since` AND ABS(`v`.`household` - `s`.`origin`) > 1.5e0
                  )
                )
                THEN NAMED_STRUCT(
                  'since',
                  `v`.`moment`,
                  'origin',
                  `v`.`household`,
                  'low',
                  CAST(NULL AS DOUBLE),
                  'high',
                  CAST(NULL AS DOUBLE),
                  'places',
                  ARRAY_APPEND(`s`.`places`, CAST(`v`.`place` AS BIGINT))
                )
                ELSE NAMED_STRUCT(
                  'since',
                  `s`.`since`,
                  'origin',
                  `s`.`origin`,
                  'low',
                  GREATEST(
                    `s`.`low`,
                    (
                      `v`.`household` - `s`.`origin` - 1.5e0
                    ) / NULLIF(`v`.`moment` - `s`.`since`, 0e0)
                  ),
                  'high',
                  LEAST(
                    `s`.`high`,
                    (
                      `v`.`household` - `s`.`origin` + 1.5e0
                    ) / NULLIF(`v`.`moment` - `s`.`since`, 0e0)
                  ),
                  'places',
                  `s`.`places`
                )
              END,
              `s` -> `s`.`places`
            ) AS `places`
          FROM (
            SELECT
              `household`,
              `region`,
              ROW_NUMBER() OVER (PARTITION BY `region` ORDER BY `since` NULLS LAST, `customer_id` NULLS LAST) AS `place`,
              CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`since` AS DATE)) AS DOUBLE) + (
                CAST(EXTRACT(HOUR FROM `since`) AS DOUBLE) * 3600e0 + CAST(EXTRACT(MINUTE FROM `since`) AS DOUBLE) * 60e0 + CAST(CASE
                  WHEN ABS(EXTRACT(SECOND FROM `since`)) < 4.5036e15
                  THEN FLOOR(EXTRACT(SECOND FROM `since`))
                  ELSE EXTRACT(SECOND FROM `since`)
                END AS DOUBLE)
              ) / 86400e0 AS `moment`
            FROM `example_results`.`Customer`
            WHERE
              NOT `since` IS NULL AND NOT `region` IS NULL AND NOT `household` IS NULL
          ) AS `rows`
          GROUP BY
            `region`
        ) AS `series`
          ON `rows of series`.`region` = `series`.`region`
      ) AS `rows`
    ) AS `rows`
  ) AS `rows`
) AS `rows`
WHERE
  `place` = `opened`;
