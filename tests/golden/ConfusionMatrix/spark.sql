-- step 'confused': ConfusionMatrix
CREATE TABLE `example_results`.`confused` AS
SELECT
  `part`,
  `actual`,
  `predicted`,
  `rows`,
  `share`,
  `share_of_actual`,
  `share_of_predicted`
FROM (
  SELECT
    `part`,
    `actual`,
    `predicted`,
    `rows`,
    `rows` / NULLIF(SUM(`rows`) OVER (PARTITION BY `part`), 0e0) AS `share`,
    `rows` / NULLIF(SUM(`rows`) OVER (PARTITION BY `part`, `actual`), 0e0) AS `share_of_actual`,
    `rows` / NULLIF(SUM(`rows`) OVER (PARTITION BY `part`, `predicted`), 0e0) AS `share_of_predicted`
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
ORDER BY
  -`rows` NULLS LAST,
  `part` NULLS LAST,
  `actual` NULLS LAST,
  `predicted` NULLS LAST
LIMIT 200;
