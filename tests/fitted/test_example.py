"""The example in the documentation runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    section = PAGE.read_text(encoding="utf-8").partition("\n## Machines of scikit-learn as SQL\n")[
        2
    ]
    block = re.search(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert block is not None
    shown: list[Any] = []
    line = "store.execute(script.query).fetchall()"
    assert line in block[1]
    names: dict[str, Any] = {"shown": shown}
    exec(block[1].replace(line, f"shown.extend({line})"), names)
    assert [row[0] for row in shown] == [50, None]
    assert [row[2] for row in shown] == ["yes", None]
    assert capsys.readouterr().out == f"{names['script']}\n"
