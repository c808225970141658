"""Generated cases of any size: branches of twenty steps of many kinds."""

# ruff: noqa: E501 - a step a line reads better than a folded one

from __future__ import annotations

HEAD = """case: generated
concepts:
  Customer:
    key: customer_id
    holdout: {share: 0.3, seed: 1}
    features: {customer_id: key, age: numeric, income: numeric, household: numeric, region: nominal, lapsed: binary}
  Claim:
    key: claim_id
    features: {claim_id: key, customer_id: key, amount: numeric, filed: time}
relations:
  claims_of: {from: Claim.customer_id, to: Customer.customer_id}
connect:
  store: duckdb:///generated.duckdb
  concepts:
    Customer: {file: customer.parquet}
    Claim: {file: claim.parquet}
steps:
"""

# Ten steps that construct, then one of each other kind; none learns, so that all of it compiles.
BRANCH = """  b{b}_claims: {{operator: AggregateByRelation, input: Customer, relation: claims_of, aggregates: {{total: sum(amount), claims: count()}}}}
  b{b}_adults: {{operator: RowSelectionByQuery, input: b{b}_claims, where: "age >= 18 and total > {b}"}}
  b{b}_complete: {{operator: DeleteRecordsWithMissingValues, input: b{b}_adults, targets: [income, region]}}
  b{b}_mapped: {{operator: Mapping, input: b{b}_complete, target: region, map: {{north: coast, south: inland}}, default: other}}
{constructed}
  b{b}_sample: {{operator: RowSelectionByRandomSampling, input: b{b}_c{last}, how_many: 1000, seed: {b}}}
  b{b}_young: {{operator: RowSelectionByQuery, input: b{b}_sample, conditions: [{{feature: age, operator: "<", value: 50}}]}}
  b{b}_both: {{operator: Union, concepts: [b{b}_sample, b{b}_young]}}
  b{b}_ratio: {{operator: GenericFeatureConstruction, input: b{b}_both, sql: x0 / (1 + x1), output: ratio}}
  b{b}_rich: {{operator: RowSelectionByQuery, input: b{b}_ratio, where: ratio > 0.5}}
  b{b}_end: {{operator: GenericFeatureConstruction, input: b{b}_rich, sql: ratio * 2, output: twice}}
"""
CONSTRUCTED = 10


def generated_case(steps: int) -> str:
    """Writes a case with about this number of steps."""
    branches = []
    for b in range(steps // 20):
        lines = []
        for c in range(CONSTRUCTED):
            source = f"b{b}_mapped" if c == 0 else f"b{b}_c{c - 1}"
            used = "income" if c == 0 else f"x{c - 1}"
            lines.append(
                f"  b{b}_c{c}: {{operator: GenericFeatureConstruction, input: {source}, "
                f"sql: {used} + age * {c}, output: x{c}}}"
            )
        branches.append(BRANCH.format(b=b, constructed="\n".join(lines), last=CONSTRUCTED - 1))
    return HEAD + "".join(branches)
