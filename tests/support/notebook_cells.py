"""Cells of a notebook, executed by a real kernel of Jupyter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SECONDS = 120


def executed(folder: Path, *cells: str, allow_errors: bool = False) -> list[list[Any]]:
    """Runs cells one after the other in a new kernel, and returns the outputs of each."""
    made: Any = nbformat.v4  # has no types
    notebook = made.new_notebook(cells=[made.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        allow_errors=allow_errors,
    )
    client.execute()
    return [list(cell.outputs) for cell in notebook.cells]
