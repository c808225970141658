"""`start`: drafts a case from tables, and writes it into a new folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.html.page import FrameHtml
from miningflow.inspect.finding import Finding, Type
from miningflow.inspect.looking import Inspected
from miningflow.inspect.relations import Relation
from miningflow.inspect.target import Target, described_target, find_target, giveaways
from miningflow.verbs.start.described import column_json, columns_frame, relation_json
from miningflow.verbs.start.draft import Draft
from miningflow.verbs.start.drafting import draft_case
from miningflow.verbs.start.first_case import with_first_case
from miningflow.verbs.start.naming import named_sources
from miningflow.verbs.start.new_folder import refuse_existing, write_folder
from miningflow.verbs.start.opened import opened_tables
from miningflow.verbs.start.places import plan_places
from miningflow.verbs.start.written_case import written_case

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Started", "start"]


@dataclass(frozen=True)
class Started(FrameHtml):
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

    def _page_title(self) -> str:
        return f"Drafted {self.path}"

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each column of the data: what it became, and why."""
        return columns_frame(self.findings)

    def as_json(self) -> dict[str, Any]:
        """Returns what was inferred as plain data for programs."""
        return {
            "case": str(self.path),
            "needs_connect": self.needs_connect,
            "columns": [column_json(each) for each in self.findings],
            "relations": [relation_json(each) for each in self.relations],
            "notes": list(self.notes),
        }


def start(
    sources: Mapping[str, Any] | Sequence[str | Path] | str | Path,
    folder: Path | None,
    target: str | None = None,
    positive: str | None = None,
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
        if target is not None:
            draft = _predicting(draft, tables, target, positive)
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


def _predicting(
    draft: Draft, tables: Sequence[Inspected], word: str, positive: str | None
) -> Draft:
    """Adds steps that predict a column, without what gives it away."""
    table, facts = find_target(word, tables)
    concept = draft.concepts[table.facts.name]
    if concept.key is None:
        message = f"{concept.name} has no key, so no rows can be held out to judge a model"
        raise MiningFlowError(
            Diagnostic(message, None, "add a column that identifies rows, or use a file")
        )
    meant = described_target(table, facts, positive)
    away = giveaways(table, meant, list(concept.features.values()))
    kinds: dict[str, Type] = {"two classes": "binary", "classes": "nominal", "number": "numeric"}
    features = {}
    for name, finding in concept.features.items():
        if finding.column in away:
            features[name] = replace(finding, given_away=away[finding.column])
        elif finding.column == meant.column:
            features[name] = replace(finding, type=kinds[meant.task], why=_says(meant))
        else:
            features[name] = finding
    concepts = {**draft.concepts, concept.name: replace(concept, features=features)}
    notes = [f"{column} is left out: {why}" for column, why in away.items()]
    draft = replace(draft, concepts=concepts, notes=(*draft.notes, *notes))
    return with_first_case(draft, meant)


def _says(target: Target) -> str:
    if target.task == "number":
        return "the target, a number"
    classes = ", ".join(value for value, _ in target.classes[:4])
    if target.positive is None:
        return f"the target: {classes}"
    return f"the target: {classes}; {target.positive} is positive, {target.why_positive}"


def _described(draft: Draft) -> Draft:
    names = ", ".join(draft.concepts)
    return replace(draft, about=draft.about or f"Describes {names}.")


def _case_name(text: str) -> str:
    found = re.sub(r"\W+", "_", text).strip("_").lower()[:60]
    if not found:
        raise MiningFlowError(
            Diagnostic(f"no case can be called {text!r}", None, "name the folder with letters")
        )
    return found
