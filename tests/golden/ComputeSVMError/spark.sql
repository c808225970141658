-- step 'quality': ComputeSVMError
CREATE TABLE `example_results`.`quality` AS
SELECT
  `part`,
  CAST(COUNT(*) AS DOUBLE) AS `rows`,
  CAST(COUNT(*) AS DOUBLE) - SUM(
    CASE WHEN NOT `lapsed` IS NULL AND NOT `risk_label` IS NULL THEN 1e0 ELSE 0e0 END
  ) AS `unknown`,
  SUM(CASE WHEN `lapsed` = `risk_label` THEN 1e0 ELSE 0e0 END) / NULLIF(
    SUM(
      CASE WHEN NOT `lapsed` IS NULL AND NOT `risk_label` IS NULL THEN 1e0 ELSE 0e0 END
    ),
    0e0
  ) AS `accuracy`,
  1e0 - SUM(CASE WHEN `lapsed` = `risk_label` THEN 1e0 ELSE 0e0 END) / NULLIF(
    SUM(
      CASE WHEN NOT `lapsed` IS NULL AND NOT `risk_label` IS NULL THEN 1e0 ELSE 0e0 END
    ),
    0e0
  ) AS `error`,
  SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) / NULLIF(
    SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) + SUM(CASE WHEN `lapsed` <> 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END),
    0e0
  ) AS `precision`,
  SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) / NULLIF(
    SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) + SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` <> 'yes' THEN 1e0 ELSE 0e0 END),
    0e0
  ) AS `recall`,
  (
    2e0 * SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END)
  ) / NULLIF(
    2e0 * SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) + SUM(CASE WHEN `lapsed` <> 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) + SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` <> 'yes' THEN 1e0 ELSE 0e0 END),
    0e0
  ) AS `f1`,
  (
    SUM(CASE WHEN `lapsed` = 'yes' AND NOT `risk` IS NULL THEN `rank` END) - SUM(CASE WHEN `lapsed` = 'yes' AND NOT `risk` IS NULL THEN 1e0 ELSE 0e0 END) * (
      SUM(CASE WHEN `lapsed` = 'yes' AND NOT `risk` IS NULL THEN 1e0 ELSE 0e0 END) + 1e0
    ) * 0.5e0
  ) / NULLIF(
    SUM(CASE WHEN `lapsed` = 'yes' AND NOT `risk` IS NULL THEN 1e0 ELSE 0e0 END) * SUM(CASE WHEN `lapsed` <> 'yes' AND NOT `risk` IS NULL THEN 1e0 ELSE 0e0 END),
    0e0
  ) AS `auc`,
  SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) AS `true_positives`,
  SUM(CASE WHEN `lapsed` <> 'yes' AND `risk_label` = 'yes' THEN 1e0 ELSE 0e0 END) AS `false_positives`,
  SUM(CASE WHEN `lapsed` = 'yes' AND `risk_label` <> 'yes' THEN 1e0 ELSE 0e0 END) AS `false_negatives`,
  SUM(CASE WHEN `lapsed` <> 'yes' AND `risk_label` <> 'yes' THEN 1e0 ELSE 0e0 END) AS `true_negatives`
FROM (
  SELECT
    `lapsed`,
    `risk_label`,
    `risk`,
    `part`,
    CAST(RANK() OVER (
      PARTITION BY `part`, (
        NOT `lapsed` IS NULL AND NOT `risk` IS NULL
      )
      ORDER BY `risk` NULLS LAST
    ) AS DOUBLE) + (
      CAST(COUNT(*) OVER (PARTITION BY `part`, (
        NOT `lapsed` IS NULL AND NOT `risk` IS NULL
      ), `risk`) AS DOUBLE) - 1e0
    ) * 0.5e0 AS `rank`
  FROM (
    SELECT
      `lapsed`,
      `risk_label`,
      `risk`,
      'all' AS `part`
    FROM `example_results`.`Scored`
  ) AS `rows`
) AS `rows`
GROUP BY
  `part`;
