"""`start`: drafts a case from tables, and writes it into a new folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.inspect.feature_types import Finding
from miningflow.inspect.relations import Relation
from miningflow.verbs.start.draft import Draft
from miningflow.verbs.start.drafting import draft_case
from miningflow.verbs.start.naming import named_sources
from miningflow.verbs.start.new_folder import refuse_existing, write_folder
from miningflow.verbs.start.opened import opened_tables
from miningflow.verbs.start.places import plan_places
from miningflow.verbs.start.written_case import written_case

__all__ = ["Started", "start"]


@dataclass(frozen=True)
class Started:
    """A case that was drafted from data."""

    path: Path
    """The case file."""
    text: str
    findings: tuple[Finding, ...]
    """What was inferred about each column, and why."""
    relations: tuple[Relation, ...]
    needs_connect: bool
    """Whether a run must name the connection, because data lie outside the folder."""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns what was inferred as plain data for programs."""
        return {
            "case": str(self.path),
            "needs_connect": self.needs_connect,
            "columns": [_column(each) for each in self.findings],
            "relations": [_relation(each) for each in self.relations],
            "notes": list(self.notes),
        }


def start(
    sources: Mapping[str, Any] | Sequence[str | Path] | str | Path,
    folder: Path | None,
    in_place: bool = False,
) -> Started:
    """Looks at tables and writes a case that describes them into a new folder."""
    given = named_sources(sources)
    if folder is None:
        folder = Path(_case_name(next((each.name for each in given if each.name), "case")))
    refuse_existing(folder)
    name = _case_name(folder.absolute().name)
    with ExitStack() as stack:
        tables, database = opened_tables(given, stack)
        draft = draft_case(name, tables)
        draft = _described(draft)
        places = plan_places(name, tables, database, in_place)
        text = written_case(draft, places)
        file = write_folder(folder, f"{name}.yml", text, places)
    findings = tuple(
        each
        for concept in draft.concepts.values()
        for each in (*concept.features.values(), *concept.left_out)
    )
    return Started(file, text, findings, draft.relations, not places.inside, draft.notes)


def _described(draft: Draft) -> Draft:
    from dataclasses import replace

    names = ", ".join(draft.concepts)
    return replace(draft, about=draft.about or f"Describes {names}.")


def _case_name(text: str) -> str:
    found = re.sub(r"\W+", "_", text).strip("_").lower()[:60]
    if not found:
        raise MiningFlowError(
            Diagnostic(f"no case can be called {text!r}", None, "name the folder with letters")
        )
    return found


def _column(finding: Finding) -> dict[str, Any]:
    facts = finding.facts
    return {
        "concept": finding.table,
        "column": finding.column,
        "type": finding.type,
        "why": finding.given_away or finding.why,
        "warnings": list(finding.warnings),
        "gives_target_away": bool(finding.given_away),
        "missing": facts.missing if facts else None,
        "distinct": facts.distinct if facts else None,
    }


def _relation(relation: Relation) -> dict[str, Any]:
    return {
        "name": relation.name,
        "from": f"{relation.from_table}.{relation.from_column}",
        "to": f"{relation.to_table}.{relation.to_column}",
        "through": list(relation.through) if relation.through else None,
        "rows": relation.rows,
        "matched": relation.matched,
        "why": relation.why,
    }
