-- step 'with_claims': AggregateByRelation
CREATE VIEW `example_results`.`with_claims` AS
SELECT
  `Customer`.`customer_id`,
  `Customer`.`age`,
  `Customer`.`income`,
  `Customer`.`household`,
  `Customer`.`region`,
  `Customer`.`since`,
  `Customer`.`lapsed`,
  `claims_of totals`.`claim_total`,
  COALESCE(`claims_of totals`.`claim_count`, 0e0) AS `claim_count`
FROM `example_results`.`Customer` AS `Customer`
LEFT JOIN (
  SELECT
    `customer_id`,
    SUM(`amount`) AS `claim_total`,
    CAST(COUNT(*) AS DOUBLE) AS `claim_count`
  FROM `example_results`.`Claim`
  GROUP BY
    `customer_id`
) AS `claims_of totals`
  ON `Customer`.`customer_id` = `claims_of totals`.`customer_id`;
