-- step 'groups': SubgroupMining: groups.subgroups
CREATE TABLE `example_results`.`groups_subgroups_9ff1cb2d` AS
SELECT
  `subgroup`,
  `description`,
  `conditions`,
  `size`,
  `positives`,
  `coverage`,
  `share`,
  `lift`,
  `quality`
FROM VALUES
  (1e0, 'age > 36 and household ≤ 2', 2e0, 17e0, 15e0, 0.283333e0, 0.882353e0, 2.52101e0, 0.150833e0),
  (2e0, 'household ≤ 2', 1e0, 24e0, 17e0, 0.4e0, 0.708333e0, 2.02381e0, 0.143333e0),
  (3e0, 'age > 36 and household ≤ 3', 2e0, 27e0, 18e0, 0.45e0, 0.666667e0, 1.90476e0, 0.1425e0),
  -- and more rows like these
  (5e0, 'age > 56 and household ≤ 4', 2e0, 25e0, 15e0, 0.416667e0, 0.6e0, 1.71429e0, 0.104167e0) AS `rows`(`subgroup`, `description`, `conditions`, `size`, `positives`, `coverage`, `share`, `lift`, `quality`);
-- step 'groups': SubgroupMining
CREATE VIEW `example_results`.`groups` AS
SELECT
  CAST(`subgroup` AS BIGINT) AS `subgroup`,
  `description`,
  `conditions`,
  `size`,
  `positives`,
  `coverage`,
  `share`,
  `lift`,
  `quality`
FROM `example_results`.`groups_subgroups_9ff1cb2d`;
