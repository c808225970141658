-- step 'cohorts': TimeIntervalManualDiscretization
CREATE VIEW `example_results`.`cohorts` AS
SELECT
  `customer_id`,
  `age`,
  `income`,
  `household`,
  `region`,
  `since`,
  `lapsed`,
  CASE
    WHEN `since` < CAST('2017-01-01 00:00:00' AS TIMESTAMP)
    THEN 'first'
    WHEN `since` >= CAST('2017-01-01 00:00:00' AS TIMESTAMP)
    AND `since` < CAST('2020-01-01 00:00:00' AS TIMESTAMP)
    THEN 'second'
    WHEN NOT `since` IS NULL
    THEN 'later'
  END AS `cohort`
FROM `example_results`.`Customer`;
