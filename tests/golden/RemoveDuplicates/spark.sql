-- step 'distinct': RemoveDuplicates
CREATE VIEW `example_results`.`distinct` AS
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
      PARTITION BY `region`, `household`
      ORDER BY MD5(CAST(`customer_id` AS STRING) || ':duplicate' || ':0') NULLS LAST, `customer_id` NULLS LAST
    ) AS `place`
  FROM `example_results`.`Customer`
) AS `rows`
WHERE
  `place` = 1e0;
