"""Adds concepts for further tables to a case; every line that is there stays as it is."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miningflow.errors import Diagnostic, MiningFlowError, RunError
from miningflow.html.page import FrameHtml
from miningflow.inspect.finding import Finding
from miningflow.inspect.looking import Inspected
from miningflow.inspect.relations import Relation
from miningflow.read import ConnectionText
from miningflow.read.yaml_comparison import says_more
from miningflow.resolve import BoundCase
from miningflow.store.sources import locate_sources
from miningflow.verbs.add.case_files import (
    CaseFiles,
    FileChange,
    copied,
    open_case,
    refuse_unwritable,
    save,
)
from miningflow.verbs.add.drafting import draft_additions
from miningflow.verbs.add.given import given_additions
from miningflow.verbs.add.opened import OpenTables
from miningflow.verbs.add.placing import place_additions
from miningflow.verbs.start.described import column_json, columns_frame, relation_json
from miningflow.verbs.start.draft import Draft
from miningflow.verbs.start.places import Places
from miningflow.verbs.start.written_case import concept_lines, relation_lines, source_lines

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Added(FrameHtml):
    """What was added to a case, or would be."""

    path: Path
    """The case file."""
    connected_in: Path
    """The file that says where the new tables are."""
    concepts: Mapping[str, str]
    """Name of each new concept → its file or table, as the connection names it."""
    findings: tuple[Finding, ...]
    """What was inferred about each new column, and why."""
    relations: tuple[Relation, ...]
    copies: tuple[Path, ...]
    """Files that were copied into the folder of the case."""
    diff: str
    """The lines that were added."""
    written: bool
    needs_connect: bool
    """Whether a run must name the connection from now on, because data lie outside the folder."""
    notes: tuple[str, ...] = ()

    def _page_title(self) -> str:
        done = "Added" if self.written else "Would add"
        return f"{done} {', '.join(self.concepts)} to {self.path}"

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each new column: what it became, and why."""
        return columns_frame(self.findings)

    def as_json(self) -> dict[str, Any]:
        """Returns what was added as plain data for programs."""
        return {
            "case": str(self.path),
            "connected_in": str(self.connected_in),
            "concepts": dict(self.concepts),
            "copies": [str(each) for each in self.copies],
            "written": self.written,
            "needs_connect": self.needs_connect,
            "columns": [column_json(each) for each in self.findings],
            "relations": [relation_json(each) for each in self.relations],
            "notes": list(self.notes),
            "diff": self.diff,
        }


def add(
    bound: BoundCase,
    connection: ConnectionText | None,
    sources: Mapping[str, Any] | Sequence[str | Path] | str | Path,
    in_place: bool = False,
    dry_run: bool = False,
    lazy: bool = False,
) -> Added:
    """Looks at tables, and adds concepts, relations and their places to the files of a case."""
    files = open_case(bound, connection, lazy)
    if not dry_run:
        refuse_unwritable(files)
    with ExitStack() as stack:
        given = given_additions(sources, files.connection)
        tables = OpenTables(files, stack)
        new, notes = tables.added(given)
        _refuse_taken(files, new)
        described = tables.described()
        draft = draft_additions(bound.name, new, described, files.bound.case.relations)
        names = [each.facts.name for each in new]
        places = place_additions(files, new, in_place)
        _edit(files, draft, names, places)
        changes = files.changes()
        _refuse_other_changes(changes)
        if dry_run:
            files.check(changes)
        else:
            with copied(files, places.copies):
                checked, connected = files.check(changes)
                locate_sources(checked, replace(connected, home=None))
                save(changes)
    concepts = [draft.concepts[name] for name in names]
    return Added(
        files.path,
        files.where_path,
        {name: places.files.get(name) or places.tables[name] for name in names},
        tuple(f for each in concepts for f in (*each.features.values(), *each.left_out)),
        draft.relations,
        tuple(files.home / within for _, within in places.copies),
        "".join(each.diff for each in changes),
        not dry_run,
        not places.inside and files.given is None,
        (*notes, *draft.notes),
    )


def _refuse_taken(files: CaseFiles, new: Sequence[Inspected]) -> None:
    """Refuses names of concepts that the case has, or that two new tables would share."""
    case = files.bound.case
    places = {name.casefold(): text.name.place for name, text in case.concepts.items()}
    places |= {name.casefold(): text.name.place for name, text in case.steps.items()}
    places |= {name.text.casefold(): name.place for name in case.chain_names}
    seen: dict[str, str] = {}
    found: list[Diagnostic] = []
    for each in new:
        name, shown = each.facts.name, each.source.shown
        hint = f"name the new one, for example `{name}2={shown}`"
        if name.casefold() in seen:
            message = f"both {seen[name.casefold()]} and {shown} would be called {name!r}"
            found.append(Diagnostic(message, None, hint))
        elif name.casefold() in places:
            hint += f"; if the columns of {name} changed, use `--refresh`"
            message = f"{shown} would be called {name!r}, and the case has that name already"
            found.append(Diagnostic(message, places[name.casefold()], hint))
        seen[name.casefold()] = shown
    if found:
        raise RunError(*found)


def _edit(files: CaseFiles, draft: Draft, names: Sequence[str], places: Places) -> None:
    """Adds the lines of new concepts, of relations, and of their places."""
    concepts: list[str] = []
    places_of: list[str] = []
    relations: list[str] = []
    for name in names:
        concepts += _plain(concept_lines(draft, draft.concepts[name]))
        places_of += _plain(source_lines(draft, draft.concepts[name], places))
    for relation in draft.relations:
        relations += _plain(relation_lines(draft, relation))
    files.case.append(("concepts",), concepts)
    if relations:
        files.case.append(("relations",), relations, behind="concepts")
    files.where.append((*files.block, "concepts"), places_of)


def _plain(lines: Iterable[str]) -> list[str]:
    """Takes away the indent that all lines share."""
    return textwrap.dedent("\n".join(lines)).split("\n")


def _refuse_other_changes(changes: Sequence[FileChange]) -> None:
    """Makes sure that a file says all it said before, whatever odd YAML it is written in."""
    for each in changes:
        if not says_more(each.before, each.after):
            message = f"lines cannot be added to {each.path} without changing others"
            hint = "add what `--dry-run --explain` prints yourself; nothing was written"
            raise MiningFlowError(Diagnostic(message, None, hint))
