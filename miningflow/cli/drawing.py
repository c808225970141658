"""`miningflow show CASE --svg FILE`: the case as a picture."""

from __future__ import annotations

from pathlib import Path

import typer

from miningflow.describe.picture import case_picture
from miningflow.errors import MiningFlowError, Mistake
from miningflow.pipeline import Project


def draw_case(project: Project, path: Path, more_was_asked: bool) -> None:
    """Draws a case into a file; needs no data."""
    if more_was_asked:
        raise MiningFlowError(
            Mistake("--svg draws the whole case", None, "give it the case and nothing else")
        )
    if path.suffix.lower() != ".svg" or path.is_dir():
        raise MiningFlowError(Mistake(f"cannot draw to {str(path)!r}", None, "a name ends in .svg"))
    if not path.parent.is_dir():
        raise MiningFlowError(
            Mistake(f"there is no folder {str(path.parent)!r} to draw to", None, "make it first")
        )
    path.write_text(case_picture(project.bound), encoding="utf-8")
    typer.echo(f"wrote {path}")
