"""A small segmented case with exports, in two versions with different results."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from support import example_data
from support.stores import HELD_OUT, TWO_FILES

STEPS = """
some: {operator: RowSelectionByQuery, input: Customer, where: age > YEARS}
with_claims:
  operator: AggregateByRelation
  input: some
  relation: claims_of
  aggregates: {claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income, materialize: table}
judged:
  operator: SupportVectorMachineForClassification
  input: filled
  target: lapsed
  positive: 'yes'
  predictors: [age, income, household]
  kernel: linear
  C: 1
  output: risk
parts: {operator: SegmentationStratified, input: filled, by: lapsed}
within: {operator: LinearScaling, input: parts, target: income, output: share}
whole: {operator: Unsegment, input: within}
people: {operator: PrepareForExport, input: judged, path: deep/people.csv}
shares: {operator: PrepareForExport, input: whole, path: shares.parquet}
"""
VERSIONS = ("20", "30")
EXPORTS = ("deep/people.csv", "shares.parquet")
STORE = "store.duckdb"


def write(folder: Path, years: str, connect: str = TWO_FILES) -> None:
    """Writes the case; the data are those of the examples."""
    steps = textwrap.indent(STEPS.strip("\n").replace("YEARS", years), "  ")
    text = f"case: example\nscoring: judged\n{HELD_OUT}\nsteps:\n{steps}\n{connect}"
    (folder / "case.yml").write_text(text, encoding="utf-8")


def write_rows(folder: Path) -> None:
    """Writes the data."""
    example_data.write(folder, example_data.tables())


def exported(folder: Path) -> dict[str, Any]:
    """Reads the exported files that exist; one that is cut off raises an error."""
    found: dict[str, Any] = {}
    for name in EXPORTS:
        path = folder / "target" / "example" / "export" / name
        if path.suffix == ".csv" and path.exists():
            found[name] = sorted(path.read_text(encoding="utf-8").splitlines())
        elif path.exists():
            found[name] = sorted(pq.read_table(path).to_pylist(), key=repr)
    return found


def unfinished(folder: Path) -> list[Path]:
    """Lists files and folders that a run writes before it puts them in their place."""
    return [path for path in folder.rglob("*") if ".part" in path.name]
