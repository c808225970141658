-- step 'by_class': ClassFigures
CREATE TABLE `example_results`.`by_class` AS
SELECT
  `part`,
  `class`,
  `rows`,
  `predicted_rows`,
  `right`,
  `precision`,
  `recall`,
  `f1`
FROM (
  SELECT
    `part`,
    `class`,
    `rows`,
    `predicted_rows`,
    `right`,
    `right` / NULLIF(`predicted_rows`, 0e0) AS `precision`,
    `right` / NULLIF(`rows`, 0e0) AS `recall`,
    (
      2e0 * `right`
    ) / NULLIF(`rows` + `predicted_rows`, 0e0) AS `f1`
  FROM (
    SELECT
      `part`,
      `class`,
      SUM(`rows`) AS `rows`,
      SUM(`predicted_rows`) AS `predicted_rows`,
      SUM(`right`) AS `right`
    FROM (
      SELECT
        `part`,
        `class`,
        `rows`,
        `predicted_rows`,
        `right`
      FROM (
        SELECT
          `part`,
          `actual` AS `class`,
          `rows`,
          0e0 AS `predicted_rows`,
          CASE WHEN `actual` = `predicted` THEN `rows` ELSE 0e0 END AS `right`
        FROM (
          SELECT
            `part`,
            `actual`,
            `predicted`,
            CAST(COUNT(*) AS DOUBLE) AS `rows`
          FROM (
            SELECT
              `lapsed` AS `actual`,
              `risk_label` AS `predicted`,
              'all' AS `part`
            FROM `example_results`.`Scored`
            WHERE
              NOT `lapsed` IS NULL AND NOT `risk_label` IS NULL
          ) AS `rows`
          GROUP BY
            `part`,
            `actual`,
            `predicted`
        ) AS `rows`
        UNION ALL
        SELECT
          `part`,
          `predicted` AS `class`,
          0e0 AS `rows`,
          `rows` AS `predicted_rows`,
          0e0 AS `right`
        FROM (
          SELECT
            `part`,
            `actual`,
            `predicted`,
            CAST(COUNT(*) AS DOUBLE) AS `rows`
          FROM (
            SELECT
              `lapsed` AS `actual`,
              `risk_label` AS `predicted`,
              'all' AS `part`
            FROM `example_results`.`Scored`
            WHERE
              NOT `lapsed` IS NULL AND NOT `risk_label` IS NULL
          ) AS `rows`
          GROUP BY
            `part`,
            `actual`,
            `predicted`
        ) AS `rows`
      ) AS `rows`
    ) AS `rows`
    GROUP BY
      `part`,
      `class`
  ) AS `rows`
) AS `rows`
ORDER BY
  -`rows` NULLS LAST,
  `part` NULLS LAST,
  `class` NULLS LAST
LIMIT 200;
