"""docs/notebook.ipynb runs as it is stored, and its outputs name nothing of a computer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.notebook_cells import executed
from support.parsed_html import parsed

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"


def code_cells() -> list[dict[str, Any]]:
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return [cell for cell in stored["cells"] if cell["cell_type"] == "code"]


def test_every_cell_runs(tmp_path: Path) -> None:
    cells = code_cells()
    outputs = executed(tmp_path, *("".join(cell["source"]) for cell in cells))
    kinds = [[output["output_type"] for output in found] for found in outputs]
    assert kinds == [[output["output_type"] for output in cell["outputs"]] for cell in cells]
    assert all(kinds), "a cell shows nothing"
    assert list(tmp_path.iterdir()) == []


def test_the_stored_outputs_are_pages_without_places_of_a_computer() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < 600_000
    assert not re.findall(r"/(?:tmp|home|root|work|Users|private|var)/", text)
    pages = [
        "".join(output["data"]["text/html"])
        for cell in code_cells()
        for output in cell["outputs"]
        if "text/html" in output.get("data", {})
    ]
    ours = [page for page in pages if 'class="mflow"' in page]
    assert len(ours) >= 5
    for page in ours:
        assert "script" not in parsed(page).tags


def test_the_cells_are_in_order() -> None:
    cells = code_cells()
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
