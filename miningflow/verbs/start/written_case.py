"""Writes a drafted case as YAML, with what was found as comments beside the lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from miningflow.inspect.finding import Finding
from miningflow.inspect.relations import Relation
from miningflow.read.yaml_text import yaml_comment, yaml_text, yaml_value
from miningflow.verbs.start.draft import Draft, DraftConcept
from miningflow.verbs.start.places import Places

WIDTH = 100
COMMENT_AT = 36
HOLDOUT = {"share": 0.3, "seed": 1}


def written_case(draft: Draft, places: Places) -> str:
    """Returns the text of a case file."""
    lines = [
        "# yaml-language-server: $schema=miningflow.schema.json",
        "# Drafted by `miningflow init --from`. Comments say what was found in the data, and why",
        "# a step is there; everything can be edited.",
        *(yaml_comment(f"Note: {note}.") for note in draft.notes),
        f"case: {yaml_text(draft.name)}",
        f"about: {yaml_value(draft.about)}",
        "",
        "concepts:",
    ]
    for concept in draft.concepts.values():
        lines += concept_lines(draft, concept)
    if draft.relations:
        lines += ["", "relations:"]
        for relation in draft.relations:
            lines += relation_lines(draft, relation)
    lines += ["", *_steps(draft), "", "connect:", f"  store: {yaml_value(places.store)}"]
    if places.repository:
        lines.append(f"  repository: {yaml_value(places.repository)}")
    lines.append("  concepts:")
    for concept in draft.concepts.values():
        lines += source_lines(draft, concept, places)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def concept_lines(draft: Draft, concept: DraftConcept) -> Iterator[str]:
    """Writes a concept."""
    facts = concept.inspected.facts
    about = f"{facts.rows:,} rows of {concept.inspected.source.shown.rpartition('/')[2]}."
    yield f"  {yaml_text(concept.name)}:"
    if concept.inspected.table is not None:
        about = f"{facts.rows:,} rows of the table {concept.inspected.table[1]}."
    yield f"    about: {yaml_value(about)}"
    if concept.key is not None:
        why = "the number of the row: no column is unique" if concept.numbered else facts.key_why
        yield _beside(f"    key: {yaml_text(concept.key)}", why)
    elif any(r.through and r.through[0] == concept.name for r in draft.relations):
        yield "    # a cross table, which needs no key"
    else:
        yield "    # no key: no column is unique and known in every row"
    if draft.main == concept.name:
        yield _beside(f"    holdout: {yaml_text(HOLDOUT)}", "nothing is learned from these rows")
    yield "    features:"
    if concept.numbered:
        yield f"      {yaml_text(concept.key)}: key"
    for name, finding in concept.features.items():
        yield feature_line(name, finding, concept.key)
    for finding in concept.left_out:
        yield f"      {yaml_comment(f'{finding.column} is left out: {finding.why}')}"


def feature_line(name: str, finding: Finding, key: str | None) -> str:
    """Writes a feature with its type, and what was found beside it."""
    said = described(finding) if name != key else ""
    return _beside(f"      {yaml_text(name)}: {finding.type}", said)


def described(finding: Finding) -> str:
    """Says what was found in a column, and what looks odd."""
    if finding.given_away:
        return f"gives the target away: {finding.given_away}"
    return "; ".join([finding.why, *finding.warnings])


def relation_lines(draft: Draft, relation: Relation) -> Iterator[str]:
    """Writes a relation, with how many rows match."""
    share = f"{relation.matched:,} of {relation.rows:,}"
    start = _end(draft, relation.from_table, relation.from_column)
    to = _end(draft, relation.to_table, relation.to_column)
    body: dict[str, Any] = {"from": start, "to": to}
    if relation.through is not None:
        table, first, second = relation.through
        body["through"] = [_end(draft, table, first), _end(draft, table, second)]
        yield f"  {yaml_comment(f'{relation.why}; {share} of its rows match on both sides')}"
    else:
        each = "one to one; " if relation.is_one_to_one else ""
        said = f"{each}{relation.why}; {share} rows of {relation.from_table} match"
        yield f"  {yaml_comment(said)}"
    yield f"  {yaml_text(relation.name)}: {yaml_text(body)}"


def _end(draft: Draft, table: str, column: str) -> str:
    return f"{table}.{draft.concepts[table].feature_of(column)}"


def _steps(draft: Draft) -> Iterator[str]:
    if not draft.steps:
        yield "steps: {}    # `miningflow operators` lists what a step can do"
        return
    yield "steps:"
    for i, step in enumerate(draft.steps):
        if i:
            yield ""
        for line in textwrap.wrap(step.why, WIDTH - 4):
            yield f"  {yaml_comment(line)}"
        yield f"  {yaml_text(step.name)}:"
        yield from _body(step.body, "    ")


def _body(body: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in body.items():
        line = f"{indent}{yaml_text(key)}: {yaml_value(value)}"
        if len(line) <= WIDTH or not isinstance(value, (list, dict)):
            yield line
        elif isinstance(value, dict):
            yield f"{indent}{yaml_text(key)}:"
            yield from _body(value, indent + "  ")
        else:
            yield from _wrapped(f"{indent}{yaml_text(key)}: ", value)


def _wrapped(start: str, values: Sequence[Any]) -> Iterator[str]:
    """Writes a long list over several lines."""
    if any(isinstance(value, dict) for value in values):
        yield start.rstrip()
        indent = " " * (len(start) - len(start.lstrip()))
        for value in values:
            yield f"{indent}- {yaml_text(value)}"
        return
    line = start + "["
    after = " " * len(line)
    for i, value in enumerate(values):
        piece = yaml_text(value) + ("," if i + 1 < len(values) else "]")
        if len(line) + len(piece) + 1 > WIDTH and line.strip() not in ("", start.strip() + "["):
            yield line
            line = after
        line += piece if line.endswith(("[", after)) else f" {piece}"
    yield line


def source_lines(draft: Draft, concept: DraftConcept, places: Places) -> Iterator[str]:
    """Writes where the rows of a concept are, and how they are read."""
    facts = concept.inspected.facts
    yield f"    {yaml_text(concept.name)}:"
    table = concept.inspected.table
    if table is not None:
        yield f"      table: {yaml_value(places.tables[concept.name])}"
    else:
        yield f"      file: {yaml_value(places.files[concept.name])}"
        if facts.is_text:
            yield from _reading(concept)
        if concept.numbered:
            yield f"      number_rows: {yaml_text(concept.key)}"
    columns: dict[str, Any] = dict(concept.columns)
    for (name, feature), wanted in draft.read_as.items():
        if name == concept.name:
            column = columns.get(feature, feature)
            columns[feature] = {"column": column, "as": wanted}
    if columns:
        yield from _body({"columns": columns}, "      ")


def _reading(concept: DraftConcept) -> Iterator[str]:
    """Writes the reading options that differ from those of a plain CSV file."""
    facts = concept.inspected.facts
    if facts.delimiter != ",":
        shown = "\\t" if facts.delimiter == "\t" else facts.delimiter
        yield f"      delimiter: {yaml_text(shown)}"
    for name, value in facts.reading.given.items():
        values = list(value) if isinstance(value, tuple) else value
        if name == "date_format" and isinstance(values, list) and len(values) == 1:
            values = values[0]
        yield from _body({name: values}, "      ")


def _beside(line: str, said: str) -> str:
    """Writes a comment beside a line, at the same place for short lines."""
    return f"{line.ljust(COMMENT_AT)}  {yaml_comment(said)}" if said else line
