"""5,000 columns: slow would be a mistake too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted

COLUMNS = 5_000
ROWS = 60


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    features = "".join(f"      f{i}: numeric\n" for i in range(COLUMNS))
    (tmp_path / "case.yml").write_text(
        f"""
case: wide
concepts:
  Wide:
    key: id
    features:
      id: key
      y: binary
{features}
steps:
  filled: {{operator: AssignAverageValue, input: Wide, target: f1}}
  kept: {{operator: RowSelectionByQuery, input: filled, where: f2 < 100}}
  scored:
    operator: SupportVectorMachineForClassification
    input: kept
    target: y
    positive: 'yes'
    predictors: type:numeric
    kernel: linear
    output: risk
connect:
  store: duckdb:///store.duckdb
  concepts: {{Wide: {{file: wide.parquet}}}}
"""
    )
    return tmp_path


def test_a_wide_case_is_checked_at_once(wide: Path) -> None:
    assert "3 steps, no errors" in accepted(wide, "check", "case.yml")


@pytest.mark.slow  # 30 s
def test_a_wide_case_runs_and_scores(wide: Path) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(ROWS, COLUMNS))
    columns = {f"f{i}": values[:, i] for i in range(COLUMNS)}
    label = np.where(values[:, 0] > 0, "yes", "no")
    table = pa.table({"id": np.arange(ROWS), **columns, "y": label})
    pq.write_table(table, wide / "wide.parquet")
    accepted(wide, "run", "case.yml")
    accepted(wide, "score", "case.yml", "--output", "scores.parquet")
    assert pq.read_table(wide / "scores.parquet").num_rows == ROWS
