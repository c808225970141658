"""A case that contains tests, for tests of testing."""

from __future__ import annotations

from pathlib import Path

CASE = """case: trial
concepts:
  Customer:
    key: id
    holdout: {share: 0.5, seed: 1}
    features: {id: key, age: numeric, income: numeric, region: nominal, since: time}
  Claim:
    key: claim
    features: {claim: key, id: key, amount: numeric}
relations:
  claims_of: {from: Claim.id, to: Customer.id}
steps:
  with_claims:
    operator: AggregateByRelation
    input: Customer
    relation: claims_of
    aggregates: {total: sum(amount), how_many: count()}
  filled: {operator: AssignAverageValue, input: with_claims, target: income}
  slim: {operator: FeatureSelectionByAttributes, input: filled, drop: [region]}
  adults: {operator: RowSelectionByQuery, input: slim, where: age >= 18}
"""
CONNECT = """connect:
  store: duckdb:///store.duckdb
  concepts:
    Customer: {file: customer.csv}
    Claim: {file: claim.csv}
"""
CUSTOMERS = """id,age,income,region,since
1,20,10,north,2021-01-01
2,30,,south,2019-01-01
3,17,30,,
4,44,,east,2022-01-01
5,50,8,east,2020-01-01
"""
CLAIMS = """claim,id,amount
1,1,5
2,1,-3
3,9,1
"""


def write(folder: Path, tests: str) -> Path:
    """Writes the case with some tests, and its data."""
    folder.mkdir(exist_ok=True)
    (folder / "customer.csv").write_text(CUSTOMERS)
    (folder / "claim.csv").write_text(CLAIMS)
    path = folder / "case.yml"
    path.write_text(CASE + tests + CONNECT)
    return path
