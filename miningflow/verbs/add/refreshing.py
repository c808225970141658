"""Adapts a case to data that changed shape; only the lines that no longer fit change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miningflow.errors import Diagnostic, MiningFlowError, ResolveError, listed
from miningflow.html.page import FrameHtml
from miningflow.read import ConnectionText
from miningflow.read.left_out import left_out
from miningflow.read.yaml_text import yaml_comment, yaml_text
from miningflow.resolve import BoundCase
from miningflow.resolve.effects import Effect
from miningflow.resolve.removal import Removal
from miningflow.verbs.add.case_files import CaseFiles, open_case, refuse_unwritable, save
from miningflow.verbs.add.opened import OpenTables
from miningflow.verbs.add.reshaped import Change, Reshaped, reshaped
from miningflow.verbs.start.written_case import described

if TYPE_CHECKING:
    import pandas as pd

FORCE = "`--force` removes features that went if the case has no errors then"


@dataclass(frozen=True)
class Refreshed(FrameHtml):
    """How a case was adapted to its data, or would be."""

    path: Path
    """The case file."""
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]
    """What steps lose by features that went, if that was forced."""
    diff: str
    written: bool
    notes: tuple[str, ...] = ()

    def _page_title(self) -> str:
        return f"{'Refreshed' if self.written else 'Would refresh'} {self.path}"

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each change: what came, went or changed, and why."""
        import pandas as pd

        columns = ["change", "concept", "feature", "column", "was", "type", "why"]
        rows = [
            [c.kind, c.concept, c.feature, c.column, c.was, c.type or "", c.said]
            for c in self.changes
        ]
        return pd.DataFrame(rows, columns=columns)

    def as_json(self) -> dict[str, Any]:
        """Returns the changes as plain data for programs."""
        return {
            "case": str(self.path),
            "changes": [
                {
                    "kind": each.kind,
                    "concept": each.concept,
                    "feature": each.feature,
                    "column": each.column,
                    "type": each.type,
                    "was": each.was or None,
                    "said": each.said,
                }
                for each in self.changes
            ],
            "effects": [
                {"kind": each.kind, "where": each.where, "said": each.said} for each in self.effects
            ],
            "notes": list(self.notes),
            "written": self.written,
            "diff": self.diff,
        }


def refresh(
    bound: BoundCase,
    connection: ConnectionText | None,
    dry_run: bool = False,
    force: bool = False,
    lazy: bool = False,
) -> Refreshed:
    """Adds, removes and changes the features of columns that came, went or changed type."""
    files = open_case(bound, connection, lazy)
    if not dry_run:
        refuse_unwritable(files)
    with ExitStack() as stack:
        tables = OpenTables(files, stack)
        found = list(_reshaped(files, tables))
    changes = tuple(change for each in found for change in each.changes)
    effects = _effects(files, changes)
    if effects and not force:
        raise ResolveError(*_refusals(effects, changes))
    for each in found:
        _edit(files, each)
    written = files.changes()
    if written:
        files.check(written)
    if not dry_run:
        save(written)
    diff = "".join(each.diff for each in written)
    is_written = bool(written) and not dry_run
    return Refreshed(files.path, changes, tuple(effects), diff, is_written, tuple(tables.notes))


def _reshaped(files: CaseFiles, tables: OpenTables) -> Iterable[Reshaped]:
    """Compares every concept with its source; raises all that cannot be read."""
    tables.open_files()
    diagnostics: list[Diagnostic] = []
    for number, (name, location) in enumerate(tables.locations.items()):
        unwanted = left_out(files.case.text, name)
        concept = files.bound.sources[name]
        try:
            session, engine = tables.reader(location)
            yield reshaped(concept, location, session, engine, number, unwanted)
        except MiningFlowError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise MiningFlowError(*diagnostics)


def _effects(files: CaseFiles, changes: Sequence[Change]) -> list[Effect]:
    """Returns what the features that went would break or take away."""
    gone: dict[str, set[str]] = {}
    for each in changes:
        if each.kind == "went":
            gone.setdefault(each.concept, set()).add(each.feature)
    if not gone:
        return []
    impact = Removal(files.bound, gone, files.connection).impact()
    own = {f"source of {name}" for name in gone}  # the refresh edits what the connection says
    return [each for each in impact.effects if each.where not in own]


def _refusals(effects: Sequence[Effect], changes: Sequence[Change]) -> list[Diagnostic]:
    """Returns what would break, each at its line; what follows from it is not repeated."""
    gone = [f"{each.concept}.{each.feature}" for each in changes if each.kind == "went"]
    since = f"since {gone[0]} went" if len(gone) == 1 else f"since {listed(gone, 4)} went"
    hint = f"mend the data, or change this line first; {FORCE}; nothing was written"
    return [
        Diagnostic(f"{each.where}: {each.said}, {since}", each.place, hint)
        for each in effects
        if not each.through
    ]


def _edit(files: CaseFiles, reshaped: Reshaped) -> None:
    """Changes the lines of a concept; first adds, so that no map is empty in between."""
    where = (*files.block, "concepts", reshaped.concept)
    features = ("concepts", reshaped.concept, "features")
    for each in reshaped.changes:
        path = (*features, each.feature)
        if each.kind == "changed" and each.finding is not None:
            typed = (*path, "type")
            said = yaml_comment(f"{described(each.finding)}; was {each.was}")
            kind = str(each.finding.type)
            files.case.put(typed if files.case.has(typed) else path, kind, said)
        if each.kind == "came" and each.finding is not None:
            written = (*features, yaml_text(each.feature))
            files.case.put(written, str(each.finding.type), yaml_comment(described(each.finding)))
        is_out = each.kind == "left out" or (each.kind == "went" and each.finding is not None)
        if is_out and files.case.takes_lines(features):
            files.case.append(features, [yaml_comment(f"{each.column} is left out: {each.said}")])
    came = [each for each in reshaped.changes if each.kind == "came"]
    _map_columns(files, where, {c.feature: c.column for c in came if c.feature != c.column})
    for each in reshaped.changes:
        if each.kind == "went":
            files.case.remove((*features, each.feature))
            files.where.remove((*where, "columns", each.feature))
    for name, value in reshaped.options.items():
        if value is None:
            files.where.remove((*where, name))
        else:
            files.where.put((*where, name), yaml_text(_option(name, value)))


def _map_columns(files: CaseFiles, where: tuple[str, ...], columns: dict[str, str]) -> None:
    """Writes the columns of features that could not be named after them."""
    path = (*where, "columns")
    if not files.where.has(path):
        if columns:
            files.where.put(path, yaml_text(columns))
        return
    for feature, column in columns.items():
        files.where.put((*path, yaml_text(feature)), yaml_text(column))


def _option(name: str, value: object) -> object:
    """Writes an option as `init` does: a single date format without a list, a tab as \\t."""
    if isinstance(value, tuple):
        return value[0] if name == "date_format" and len(value) == 1 else list(value)
    return "\\t" if value == "\t" else value
