"""Exporting: concepts as files, written aside while a run is not yet published."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from miningflow.checked_folder import (
    check_folders,
    checked_folder,
    refuse_link,
    remove_scratch,
    unguessable_name,
)
from miningflow.compile import Names
from miningflow.declare.kinds.words import LIST_OF_EXPORTS
from miningflow.declare.operator import Export
from miningflow.engines.file_access import FileAccess, access_to
from miningflow.errors import Diagnostic, EngineError, MiningFlowError, RunError
from miningflow.names import file_name
from miningflow.plan import Plan
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.outcome import Outcome
from miningflow.sql.dialect import render
from miningflow.sql.literals import column
from miningflow.store.opening import Store

_FOLDER = "export"


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

    target: Path
    case: str
    """The name of the folder of the case in the target."""
    known: dict[str, Exported]
    """What the files of the folder hold, by the path in the case."""
    scratch: Path
    """Where files are written before they are complete."""
    aside: dict[Path, PurePath] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Returns the folder that the paths in the case start from."""
        return self.target / self.case / _FOLDER

    @property
    def access(self) -> FileAccess:
        """Returns what a store must be allowed to reach in order to write the files."""
        return access_to(folders=[self.scratch])

    def remove_left_over(self) -> None:
        """Removes what runs that were killed have left; no other run of the case is under way."""
        if (self.target / self.case).is_dir():
            with checked_folder(self.target, self.case) as folder:
                remove_scratch(folder.path)

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
            with checked_folder(self.target, self.case, _FOLDER, *path.parent.parts) as folder:
                folder.take(partial, path.name)
        self.discard()
        listed = {
            name: {"step": e.step, "rows": e.rows, "fingerprint": e.fingerprint}
            for name, e in self.known.items()
        }
        with checked_folder(self.target, self.case, _FOLDER) as folder:
            folder.write(LIST_OF_EXPORTS, json.dumps(listed, indent=1, ensure_ascii=False))

    def discard(self) -> None:
        """Removes what was written aside."""
        if self.aside:
            shutil.rmtree(self.scratch, ignore_errors=True)
        self.aside.clear()

    def _place(self, step: BoundStep, export: Export) -> Path:
        """Returns where a file goes, in existing folders; refuses links, which may lead out."""
        path = PurePath(export.path)
        try:
            check_folders(self.target, self.case, _FOLDER, *path.parent.parts)
            refuse_link(self.folder / LIST_OF_EXPORTS)
            with checked_folder(self.target, self.case, _FOLDER, *path.parent.parts) as folder:
                folder.refuse(path.name)
        except MiningFlowError as error:
            raise _cannot_write(step, self.folder / path, error.diagnostics[0].message) from None
        return self.folder / path

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
        partial = self._aside(export)
        try:
            with store.engine.session() as session:
                return session.write(f"SELECT {shown} FROM {table}{order}", partial)
        except EngineError as error:
            raise _cannot_write(step, path, error.diagnostics[0].message) from error

    def _aside(self, export: Export) -> Path:
        """Returns where a file is written first: in a folder that nobody could prepare."""
        if not self.aside:
            with checked_folder(self.target, self.case):
                self.scratch.mkdir(mode=0o700)
        partial = self.scratch / f"{len(self.aside)}.{export.format}"
        self.aside[partial] = PurePath(export.path)
        return partial


def exports_of(bound: BoundCase, target: Path) -> Exports:
    """Finds the export folder of a case, and what is in it."""
    case = file_name(bound.name)
    folder = target / case / _FOLDER
    try:
        listed = json.loads((folder / LIST_OF_EXPORTS).read_text(encoding="utf-8"))
        known = {n: Exported(path=str(folder / n), **entry) for n, entry in listed.items()}
    except (OSError, ValueError, TypeError, AttributeError):  # none, or not one of ours
        known = {}
    return Exports(target, case, known, (target / case / unguessable_name()).absolute())


def _cannot_write(step: BoundStep, path: Path, reason: str) -> RunError:
    message = f"step {step.name!r} cannot export to {path}: {reason}"
    return RunError(Diagnostic(message, step.place("path"), "published results are unchanged"))
