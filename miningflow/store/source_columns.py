"""Finds the columns of a source: what to select from, and the column of each feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from miningflow.declare.concept import Concept
from miningflow.engines import Session
from miningflow.engines.column_names import matching_columns
from miningflow.engines.engine import FileError
from miningflow.engines.files import column_names, files_query
from miningflow.errors import Diagnostic, EngineError, RunError, suggestion
from miningflow.store.sources import SourceLocation

MOST_MISTAKES = 10


@dataclass(frozen=True)
class RawSource:
    """A source as the engine sees it: what to select from, and the expression of each feature."""

    relation: str
    expressions: Mapping[str, str]
    session: Session

    @property
    def query(self) -> str:
        """Reads the source as its concept."""
        shown = ", ".join(
            f"{tree} AS {self.session.quoted(name)}" for name, tree in self.expressions.items()
        )
        return f"SELECT {shown} FROM {self.relation}"


def columns_of(session: Session, location: SourceLocation) -> tuple[str, dict[str, str]]:
    """Returns what to select from, and the types of its columns."""
    try:
        if location.frame is not None:
            session.register(_frame_name(location), location.frame.table)
        relation = relation_of(location, session)
        return relation, session.columns(f"SELECT * FROM {relation}")
    except (FileError, EngineError) as error:
        raise RunError(
            *(
                Diagnostic(
                    f"cannot read {location.shown}: {m.message}", location.scalar.place, m.hint
                )
                for m in error.diagnostics
            )
        ) from None


def relation_of(location: SourceLocation, session: Session) -> str:
    """Writes what to select from."""
    if location.frame is not None:
        return session.quoted(_frame_name(location))
    if location.table is None:
        return files_query(location.paths, location.delimiter, location.csv_reading.encoding)
    if not location.table.db:  # rows of this session
        return session.quoted(location.table.name)
    return f"{session.quoted(location.table.db)}.{session.quoted(location.table.name)}"


def with_columns(
    concept: Concept, location: SourceLocation, types: Mapping[str, str]
) -> SourceLocation:
    """Finds the column of each feature: by its exact name, or else in any case."""
    diagnostics = []
    columns: dict[str, str] = {}
    for feature in concept.features:
        name = location.column(feature)
        own = matching_columns(feature, types) if location.given else ()
        found = own or matching_columns(name, types)
        if len(found) == 1:
            columns[feature] = found[0]
        elif found:
            diagnostics.append(
                Diagnostic(
                    f"column {name!r} of {location.shown} for {concept.name}.{feature} is "
                    f"ambiguous: there are {' and '.join(map(repr, found))}",
                    location.scalar.place,
                    f"name the one that is meant: `columns: {{{feature}: {found[-1]!r}}}`",
                )
            )
        else:
            diagnostics.append(
                Diagnostic(
                    f"{location.shown} has no column {name!r} for {concept.name}.{feature}",
                    location.scalar.place,
                    f"{suggestion(name, types, 'columns')} "
                    + _column_advice(concept, location, feature),
                )
            )
    if not diagnostics and len(location.paths) > 1:
        diagnostics += _files_that_lack_columns(concept, location)
    if len(diagnostics) > MOST_MISTAKES:
        more = Diagnostic(
            f"{location.shown} lacks {len(diagnostics) - MOST_MISTAKES} more columns of "
            f"{concept.name}",
            location.scalar.place,
            "is it the right file, and its `delimiter` the right one?",
        )
        diagnostics = [*diagnostics[:MOST_MISTAKES], more]
    if diagnostics:
        raise RunError(*diagnostics)
    return replace(location, columns=columns)


def _frame_name(location: SourceLocation) -> str:
    return f"frame of {location.concept}"


def _files_that_lack_columns(concept: Concept, location: SourceLocation) -> list[Diagnostic]:
    """Names the files of a glob in which a feature would be NULL, since they lack its column."""
    encoding = location.csv_reading.encoding
    there = {p: column_names(p, location.delimiter, encoding) for p in location.paths}
    found = []
    for feature in concept.features:
        name = location.column(feature)
        lacking = [p for p, names in there.items() if not matching_columns(name, names)]
        if not lacking:
            continue
        others = f" and {len(lacking) - 1:,} more files lack" if len(lacking) > 1 else " lacks"
        found.append(
            Diagnostic(
                f"{lacking[0].name}{others} the column {name!r} for {concept.name}.{feature}, "
                f"which other files of {location.shown} have",
                location.scalar.place,
                "add it there, empty if there are no values, or leave the file out",
            )
        )
    return found


def _column_advice(concept: Concept, location: SourceLocation, feature: str) -> str:
    if location.given:
        return "(a column is called as its feature, or as the connection calls it)"
    advice = f"a column of another name: `columns: {{{feature}: …}}`"
    if feature == concept.key and location.paths:
        advice += f"; no such column at all: `number_rows: {feature}`"
    return f"({advice})"
