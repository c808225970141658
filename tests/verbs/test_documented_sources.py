"""The section on frames as sources runs as it stands in the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.command_line import accepted
from support.stores import ran

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_the_section_on_frames_runs_in_a_first_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted(tmp_path, "init", "project")
    monkeypatch.chdir(tmp_path / "project")
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition("\n## Frames as sources\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    case, customers = names["case"], names["customers"]
    assert ran(case.run(sources={"Customer": customers})) == []
    assert len(case.plan().stages) == 9
    assert "reads ../data/customers.csv instead of a frame" in text
    assert case.plan().stage("Customer").reason == "reads ../data/customers.csv instead of a frame"
    changed = case.plan(sources={"Customer": names["older"]})
    assert next((s.name, s.reason) for s in changed.running) == ("Customer", "its data changed")
    assert Path("alone/shop.miningflow.duckdb").is_file()
    assert names["alone"].score().num_rows == len(customers)
