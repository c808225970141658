"""Odd names are not wrong: they work from the file to the scores."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted
from support.default_run import first_only

ODD = ["select", '"quoted"', "größe", "a b", "it's", "100", "%s;--", "日本語", "{x}", "a/b", "null"]


@pytest.mark.parametrize("name", first_only(ODD, 3))
def test_a_name_may_be_odd_everywhere(tmp_path: Path, name: str) -> None:
    said = json.dumps(name, ensure_ascii=False)  # JSON quotes as YAML does
    concept, step = (json.dumps(f"{name}{i}", ensure_ascii=False) for i in ("C", "S"))
    (tmp_path / "case.yml").write_text(
        f"""
case: {said}
concepts:
  {concept}: {{key: id, features: {{id: key, {said}: numeric, class: binary}}}}
steps:
  {step}: {{operator: LinearScaling, input: {concept}, target: {said}, range: [0, 1]}}
  chosen: {{operator: RowSelectionByQuery, input: {step}, where: id > 0}}
  {said}:
    operator: SupportVectorMachineForClassification
    input: chosen
    target: class
    positive: 'yes'
    predictors: [{said}]
    kernel: linear
    output: {json.dumps(name + " out", ensure_ascii=False)}
    materialize: table
connect:
  store: duckdb:///store.duckdb
  concepts: {{{concept}: {{file: rows.parquet}}}}
""",
        encoding="utf-8",
    )
    data = {"id": range(20), name: range(20), "class": ["no"] * 10 + ["yes"] * 10}
    pq.write_table(pa.table({k: list(v) for k, v in data.items()}), tmp_path / "rows.parquet")
    accepted(tmp_path, "check", "case.yml")
    accepted(tmp_path, "run", "case.yml")
    assert "0 of 4 stages ran" in accepted(tmp_path, "run", "case.yml")
    assert name in accepted(tmp_path, "show", "case.yml")
    accepted(tmp_path, "show", "case.yml", name)
    accepted(tmp_path, "compile", "case.yml", name)
    accepted(tmp_path, "plan", "case.yml", "--to", name)
    scored = json.loads(accepted(tmp_path, "score", "case.yml", "--json"))["rows"]
    assert len(scored) == 19
    labels = [row[f"{name} out_label"] for row in sorted(scored, key=lambda row: row["id"])]
    assert labels[0] == "no"
    assert labels[-1] == "yes"
    accepted(tmp_path, "clean", "case.yml")


def test_names_may_be_long(tmp_path: Path) -> None:
    name = "ä" * 120
    (tmp_path / "rows.csv").write_text(f"id,{name}\n1,2\n2,4\n", encoding="utf-8")
    (tmp_path / "case.yml").write_text(
        f"""
case: {name}
concepts:
  C: {{key: id, features: {{id: key, {name}: numeric}}}}
steps:
  {name}: {{operator: LinearScaling, input: C, target: {name}, range: [0, 1], materialize: table}}
connect:
  store: duckdb:///store.duckdb
  concepts: {{C: {{file: rows.csv}}}}
""",
        encoding="utf-8",
    )
    accepted(tmp_path, "run", "case.yml")
