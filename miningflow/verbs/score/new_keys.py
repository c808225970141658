"""Keys of new rows: those that meet stored keys must be of the type that these have."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.compile import Names, ScoreScript
from miningflow.engines import Session
from miningflow.engines.key_types import KeyType, key_type
from miningflow.resolve import BoundCase
from miningflow.sql.block import Block
from miningflow.sql.dialect import render
from miningflow.sql.meetings import Origin, meetings, origins
from miningflow.store.opening import Store


def expected_types(
    bound: BoundCase, script: ScoreScript, name: str, store: Store, session: Session
) -> dict[str, KeyType]:
    """Returns the types of the stored keys of a concept, as far as they meet others in a script."""
    features = sorted(feature for concept, feature in _meeting(script) if concept == name)
    if not features or name not in store.engine.objects(Names(bound.name).schema):
        return {}
    published = render(Names(bound.name).public(name), store.engine.dialect)
    found = session.columns(f"SELECT * FROM {published}")
    types = {column.casefold(): key_type(session, kind) for column, kind in found.items()}
    return {f: kind for f in features if (kind := types.get(f.casefold())) is not None}


def frame_keys(
    session: Session,
    kinds: Mapping[str, str],
    types: Mapping[str, str],
    read_as: Mapping[str, KeyType],
) -> dict[str, KeyType]:
    """Returns what the keys of a frame are read as, where their columns do not say it.

    A column with missing values comes from pandas as doubles: whole ones are keys all the same.
    """
    found: dict[str, KeyType] = dict(read_as)
    for name, sql_type in types.items():
        if kinds[name] == "key" and session.family(sql_type) == "fraction":
            found.setdefault(name, "integer")
    return found


def _meeting(script: ScoreScript) -> set[Origin]:
    """Returns the features of source concepts that meet others somewhere in a script."""
    blocks = {name: part for name, part in script.parts if isinstance(part, Block)}
    found: set[Origin] = set()
    for block in blocks.values():
        for meeting in meetings(block):
            first = {o for origin in meeting for o in _first(origin, blocks)}
            found |= first if len(first) > 1 else set()
    return found


def _first(origin: Origin, blocks: Mapping[str, Block]) -> set[Origin]:
    """Follows a column through the parts of a script to those of sources."""
    name, column = origin
    if name not in blocks:
        return {origin}
    return {o for before in origins(blocks[name], column) for o in _first(before, blocks)}
