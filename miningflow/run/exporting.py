"""Exporting: concepts as files, written aside while a run is not yet published."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from miningflow.compile import Names
from miningflow.declare.operator import Export
from miningflow.errors import EngineError, Mistake, RunError
from miningflow.plan import Plan
from miningflow.read.names import file_name
from miningflow.resolve import BoundCase, BoundStep
from miningflow.resolve.exports import LIST_OF_EXPORTS
from miningflow.run.building import Outcome
from miningflow.run.store import Store
from miningflow.sql.dialect import render
from miningflow.sql.literals import column


@dataclass(frozen=True)
class Exported:
    """A file that holds what a step made."""

    step: str
    path: str
    rows: int
    fingerprint: str


@dataclass
class Exports:
    """Writes the files of a run beside the old ones, then puts them in their place."""

    folder: Path
    known: dict[str, Exported]
    """What the files of the folder hold, by the path in the case."""
    aside: dict[Path, Path] = field(default_factory=dict)

    def prepare(
        self, bound: BoundCase, plan: Plan, store: Store, outcomes: Mapping[str, Outcome]
    ) -> None:
        """Writes what changed, and what is missing, beside the files."""
        names = Names(bound.name)
        wanted: dict[str, Exported] = {}
        for stage in plan.stages:
            step = bound.steps.get(stage.name)
            export = step.operator.exported() if step else None
            if step is None or export is None:
                continue
            old = self.known.get(export.path)
            if stage.name not in outcomes:  # it was not selected
                wanted.update({export.path: old} if old else {})
                continue
            path = self._place(step, export)
            mark = (step.name, stage.fingerprint)
            is_there = old is not None and path.is_file() and (old.step, old.fingerprint) == mark
            if old is not None and is_there and stage.action == "reuse":
                wanted[export.path] = old
                continue
            rows = self._write(step, export, path, outcomes[stage.name], store, names)
            wanted[export.path] = Exported(step.name, str(path), rows, stage.fingerprint)
        self.known = wanted

    def finish(self) -> None:
        """Puts the new files into the place of the old ones, and lists what they hold."""
        if not self.aside:
            return
        for partial, path in self.aside.items():
            partial.replace(path)
        self.aside.clear()
        listed = {
            name: {"step": e.step, "rows": e.rows, "fingerprint": e.fingerprint}
            for name, e in self.known.items()
        }
        partial = self.folder / f".{LIST_OF_EXPORTS}.part"
        partial.write_text(json.dumps(listed, indent=1, ensure_ascii=False), encoding="utf-8")
        partial.replace(self.folder / LIST_OF_EXPORTS)

    def discard(self) -> None:
        """Removes what was written aside."""
        for partial in self.aside:
            partial.unlink(missing_ok=True)
        self.aside.clear()

    def _place(self, step: BoundStep, export: Export) -> Path:
        """Gives where a file goes, in folders that are there; refuses links, which may lead out."""
        path = self.folder / export.path
        inside = [p for p in path.parents if p.is_relative_to(self.folder)]
        for folder in (self.folder.parent, *reversed(inside), path):
            if folder.is_symlink():
                raise RunError(
                    Mistake(
                        f"{folder} is a link, and exports go to real folders and files only",
                        step.place("path"),
                        "remove the link, or name another folder with --target",
                    )
                )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _cannot_write(step, path, error.strerror or str(error)) from None
        if path.is_dir():
            raise _cannot_write(step, path, "it is a folder")
        return path

    def _write(
        self,
        step: BoundStep,
        export: Export,
        path: Path,
        outcome: Outcome,
        store: Store,
        names: Names,
    ) -> int:
        concept = outcome.piece.presence.concept
        assert outcome.object_name is not None, "an export is built"
        dialect = store.engine.dialect
        shown = ", ".join(render(column(name), dialect) for name in concept.features)
        table = render(names.built(outcome.object_name), dialect)
        order = f" ORDER BY {render(column(concept.key), dialect)}" if concept.key else ""
        partial = path.with_name(f".{path.name}.part.{export.format}")
        self.aside[partial] = path
        try:
            with store.engine.session() as session:
                return session.write(f"SELECT {shown} FROM {table}{order}", partial)
        except EngineError as error:
            raise _cannot_write(step, path, error.mistakes[0].message) from error


def exports_of(bound: BoundCase, target: Path) -> Exports:
    """Finds the export folder of a case, and what is in it."""
    folder = target / file_name(bound.name) / "export"
    try:
        listed = json.loads((folder / LIST_OF_EXPORTS).read_text(encoding="utf-8"))
        known = {n: Exported(path=str(folder / n), **entry) for n, entry in listed.items()}
    except (OSError, ValueError, TypeError, AttributeError):  # none, or not one of ours
        known = {}
    return Exports(folder, known)


def _cannot_write(step: BoundStep, path: Path, reason: str) -> RunError:
    message = f"step {step.name!r} cannot export to {path}: {reason}"
    return RunError(Mistake(message, step.place("path"), "the last good results are as they were"))
