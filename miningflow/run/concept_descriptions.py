"""Describes concepts for the repository: features, columns, deselections, functions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from miningflow.compile import Names
from miningflow.compile.functions import ModelFunction
from miningflow.compile.statements import SQL_TYPES
from miningflow.resolve import BoundCase
from miningflow.run.outcome import Outcome
from miningflow.store.snapshot import Snapshot

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class MadeFunction:
    """A function that the case made in the store, and the statement that made it."""

    function: ModelFunction
    definition: str


def describe_concepts(
    bound: BoundCase,
    snapshot: Snapshot,
    outcomes: Mapping[str, Outcome],
    functions: Collection[MadeFunction],
    names: Collection[str],
) -> dict[str, Rows]:
    """Returns the rows of each table of the repository that describes these concepts."""
    found: dict[str, Rows] = {
        "concepts": [],
        "features": [],
        "column_sets": [],
        "columns": [],
        "deselections": [],
        "functions": [],
    }
    for name in names:
        entry = {"case_name": bound.name, "concept": name}
        found["concepts"].append({**entry, **_concept(bound, name)})
        made = outcomes[name].object_name
        if made is not None:
            schema, kind = Names(bound.name).built_schema, snapshot.built[made]
            placed = {"schema_name": schema, "object_name": made, "kind": kind}
            found["column_sets"].append({**entry, **placed})
        found["functions"] += [
            {**entry, **_function(bound, made_function)}
            for made_function in functions
            if made_function.function.step == name
        ]
        presence = outcomes[name].piece.presence
        for position, feature in enumerate(bound.concept(name).features.values()):
            mine = {**entry, "feature": feature.name}
            found["features"].append({**mine, "type": feature.type, "position": position})
            cause = presence.deselected.get(feature.name)
            if cause is not None:
                found["deselections"].append(
                    {**mine, "by_step": cause.step, "reason": cause.reason}
                )
            else:
                sql_type = SQL_TYPES.get(feature.type, "key")
                found["columns"].append({**mine, "column_name": feature.name, "sql_type": sql_type})
    return found


def _concept(bound: BoundCase, name: str) -> dict[str, Any]:
    step = bound.steps.get(name)
    return {
        "made_by": type(step.operator).__name__ if step else "source",
        "key_feature": bound.concept(name).key,
        "parameters": json.dumps(step.parameters, ensure_ascii=False) if step else "{}",
    }


def _function(bound: BoundCase, made: MadeFunction) -> dict[str, Any]:
    return {
        "function_name": made.function.feature,
        "schema_name": Names(bound.name).schema,
        "feature": made.function.feature,
        "parameters": json.dumps(dict(made.function.parameters), ensure_ascii=False),
        "definition": made.definition,
    }
