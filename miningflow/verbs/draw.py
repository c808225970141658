"""`show --svg`: a case as a picture."""

from __future__ import annotations

from pathlib import Path

from miningflow.arguments import check_folder
from miningflow.describe.picture import case_picture
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.resolve import BoundCase


def draw(bound: BoundCase, svg: Path) -> None:
    """Draws a case as a graph into a file. Needs no data."""
    if svg.suffix.lower() != ".svg" or svg.is_dir():
        raise MiningFlowError(
            Diagnostic(f"cannot draw to {str(svg)!r}", None, "the name must end in .svg")
        )
    check_folder(svg)
    svg.write_text(case_picture(bound), encoding="utf-8")
