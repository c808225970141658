"""Writes the SQL of a run to files that people can review and run without Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from miningflow.compile import Compiled, Piece
from miningflow.describe.script import step_sql
from miningflow.errors import MiningFlowError, Mistake
from miningflow.pipeline import scoring
from miningflow.plan import layout
from miningflow.read.names import file_name
from miningflow.resolve import BoundCase


def check_target(target: Path) -> None:
    """Refuses a target that is no folder, before anything has run."""
    if target.exists() and not target.is_dir():
        raise MiningFlowError(Mistake(f"{target} is not a folder", None, "name another --target"))


def write_target(
    bound: BoundCase, pieces: Mapping[str, Piece], target: Path, dialect: str
) -> dict[str, Path]:
    """Writes target/<case>/score.sql and target/<case>/compiled/<step>.sql; gives the paths."""
    folder = target / file_name(bound.name)
    compiled = Compiled(pieces, dict.fromkeys(bound.steps, "was not selected"))
    builds = layout(bound)
    written: dict[str, Path] = {}
    (folder / "compiled").mkdir(parents=True, exist_ok=True)
    for name, step in bound.steps.items():
        if name in pieces and not step.hidden:
            path = folder / "compiled" / f"{file_name(name)}.sql"
            _write(path, step_sql(bound, compiled, name, builds[name], dialect) + "\n")
    written["compiled"] = folder / "compiled"
    if bound.scoring is not None and bound.scoring in pieces:
        script = scoring(bound, compiled)
        path = folder / "score.sql"
        _write(path, script.sql(dialect))
        written["score"] = path
    return written


def _write(path: Path, text: str) -> None:
    """Writes beside the file first, so that a script is never half there."""
    partial = path.with_name(f".{path.name}.part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
