-- step 'rules': Apriori: rules.rules
CREATE TABLE `example_results`.`rules_rules_111fdfc1` AS
SELECT
  `rule`,
  `antecedent`,
  `consequent`,
  `items`,
  `support`,
  `confidence`,
  `lift`,
  `together`,
  `with_antecedent`,
  `with_consequent`,
  `transactions`
FROM VALUES
  (1e0, 'east', 'north', 2e0, 1e0, 1e0, 1e0, 5e0, 5e0, 5e0, 5e0),
  (2e0, 'east', 'north, south', 3e0, 1e0, 1e0, 1e0, 5e0, 5e0, 5e0, 5e0),
  (3e0, 'east', 'south', 2e0, 1e0, 1e0, 1e0, 5e0, 5e0, 5e0, 5e0),
  -- and more rows like these
  (12e0, 'south', 'north', 2e0, 1e0, 1e0, 1e0, 5e0, 5e0, 5e0, 5e0) AS `rows`(`rule`, `antecedent`, `consequent`, `items`, `support`, `confidence`, `lift`, `together`, `with_antecedent`, `with_consequent`, `transactions`);
-- step 'rules': Apriori
CREATE VIEW `example_results`.`rules` AS
SELECT
  CAST(`rule` AS BIGINT) AS `rule`,
  `antecedent`,
  `consequent`,
  `items`,
  `support`,
  `confidence`,
  `lift`,
  `together`,
  `with_antecedent`,
  `with_consequent`,
  `transactions`
FROM `example_results`.`rules_rules_111fdfc1`;
