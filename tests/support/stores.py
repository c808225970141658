"""What tests look up in a store, past MiningFlow: plain DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from miningflow.run import Report

# A case over the example concepts in which every kind of thing is learned, in two branches.
STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income, materialize: view}
relevant:
  operator: FeatureSelectionWithSVM
  input: filled
  target: lapsed
  positive: 'yes'
  attributes: [age, income, household, claim_count]
judged:
  operator: SupportVectorMachineForClassification
  input: relevant
  target: lapsed
  positive: 'yes'
  predictors: [age, income, household, claim_count]
  kernel: radial
  C: 1
  output: risk
  materialize: table
side: {operator: LinearScaling, input: Customer, target: age, output: age_scaled}
"""
SOURCES = ["Customer", "Claim", "Rating", "Prospect", "Scored"]

# Customers of whom some are held out, and their claims.
HELD_OUT = """
concepts:
  Customer:
    key: customer_id
    holdout: {share: 0.3, seed: 1}
    features:
      customer_id: key
      age: numeric
      income: numeric
      household: numeric
      region: nominal
      lapsed: binary
  Claim:
    key: claim_id
    features: {claim_id: key, customer_id: key, amount: numeric, filed: time}

relations:
  claims_of: {from: Claim.customer_id, to: Customer.customer_id}
"""
TWO_FILES = """
connect:
  store: duckdb:///store.duckdb
  concepts:
    Customer: {file: Customer.parquet}
    Claim: {file: Claim.parquet}
"""


def ran(report: Report) -> list[str]:
    """Names the stages that had work to do, in order."""
    return [s.name for s in report.stages if s.action == "run"]


def query(store: Path, sql: str) -> list[tuple[Any, ...]]:
    """Runs a query in the plain DuckDB client."""
    with duckdb.connect(str(store), read_only=True) as connection:
        rows: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
        return rows


def change(store: Path, *statements: str) -> None:
    """Changes a store past MiningFlow, as its owner may."""
    with duckdb.connect(str(store)) as connection:
        for sql in statements:
            connection.execute(sql)


def objects(store: Path, case: str = "example") -> set[tuple[str, str]]:
    """Returns schema and name of all that stands in the schemas of a case."""
    found = query(
        store,
        "SELECT table_schema, table_name FROM information_schema.tables "
        f"WHERE table_schema IN ('{case}_results', '{case}_built')",
    )
    return {(schema, name) for schema, name in found}


def shown(store: Path, case: str = "example") -> set[str]:
    """Names the public views."""
    return {name for schema, name in objects(store, case) if schema == f"{case}_results"}


def results(store: Path, case: str = "example") -> dict[str, list[tuple[Any, ...]]]:
    """Reads all public views, rows in order."""
    names = sorted(shown(store, case))
    with duckdb.connect(str(store), read_only=True) as connection:
        return {
            name: sorted(
                connection.execute(f'SELECT * FROM {case}_results."{name}"').fetchall(), key=repr
            )
            for name in names
        }


def artifacts(store: Path) -> dict[str, tuple[Any, ...]]:
    """Reads what each step learned, bit by bit as it is stored."""
    found = query(
        store,
        "SELECT a.step, a.content, a.arrays FROM miningflow.artifacts a JOIN miningflow.builds b "
        "USING (case_name, step, fingerprint, run) WHERE b.status = 'published' ORDER BY a.step",
    )
    return {step: (content, bytes(arrays)) for step, content, arrays in found}


def leftovers(store: Path, case: str = "example") -> set[str]:
    """Names the objects that runs built and that no published build refers to, and the reverse."""
    built = {name for schema, name in objects(store, case) if schema == f"{case}_built"}
    used = query(store, "SELECT object_name FROM miningflow.builds WHERE object_name IS NOT NULL")
    owners = {name for (name,) in used}
    listed = query(store, f"SELECT object_name FROM miningflow.objects WHERE kind <> 'schema' "
                   f"AND schema_name = '{case}_built'")  # fmt: skip
    unknown = {name for name in built if name.partition(": ")[0] not in owners}
    return unknown | (built ^ {name for (name,) in listed}) | (owners - built)
