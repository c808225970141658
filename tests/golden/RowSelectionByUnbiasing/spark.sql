-- step 'balanced': RowSelectionByUnbiasing
CREATE VIEW `example_results`.`balanced` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`
FROM (
  SELECT
    `customer_id`,
    `age`,
    `income`,
    `household`,
    `region`,
    `since`,
    `lapsed`,
    ROW_NUMBER() OVER (
      PARTITION BY `lapsed`
      ORDER BY MD5(CAST(`customer_id` AS STRING) || ':class' || ':7') NULLS LAST, `customer_id` NULLS LAST
    ) AS `place`
  FROM `example_results`.`Customer`
  WHERE
    NOT `lapsed` IS NULL
) AS `rows`
WHERE
  `place` <= 20e0;
