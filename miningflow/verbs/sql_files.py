"""Writes the SQL of a run to files that people can review and run without Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from miningflow.checked_folder import check_folders, checked_folder, refuse_link
from miningflow.compile import Compiled, Missing, Piece
from miningflow.describe.script import step_sql
from miningflow.names import file_name
from miningflow.plan import layout
from miningflow.resolve import BoundCase
from miningflow.verbs.score.script import scoring_script

_COMPILED = "compiled"
_SCORING = "score.sql"


def check_target(bound: BoundCase, target: Path) -> None:
    """Refuses a target that is not a folder, or leads through links, before anything has run."""
    folder = check_folders(target, file_name(bound.name), _COMPILED)
    refuse_link(folder.parent / _SCORING)
    for name in bound.steps:
        refuse_link(folder / f"{file_name(name)}.sql")


def write_sql_files(
    bound: BoundCase, pieces: Mapping[str, Piece], target: Path, dialect: str
) -> dict[str, Path]:
    """Writes <case>/score.sql and <case>/compiled/<step>.sql in `target`; returns their paths."""
    case = file_name(bound.name)
    compiled = Compiled(pieces, dict.fromkeys(bound.steps, Missing("not selected")))
    builds = layout(bound)
    written: dict[str, Path] = {}
    with checked_folder(target, case, _COMPILED) as folder:
        folder.remove_scratch_files()
        for name, step in bound.steps.items():
            if name in pieces and not step.hidden:
                text = step_sql(bound, compiled, name, builds[name], dialect)
                folder.write(f"{file_name(name)}.sql", text + "\n")
        written["compiled"] = target / case / _COMPILED
    with checked_folder(target, case) as folder:
        folder.remove_scratch_files()
        if bound.scoring is not None and bound.scoring in pieces:
            script = scoring_script(bound, compiled)
            folder.write(_SCORING, script.sql(dialect))
            written["score"] = target / case / _SCORING
    return written
