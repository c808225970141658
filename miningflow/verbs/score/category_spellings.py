"""Categories of new rows that are written in another way than those that the case ran on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from miningflow.compile import Names
from miningflow.engines import Session
from miningflow.engines.files import text
from miningflow.sql.any_column import is_code, same_code
from miningflow.sql.dialect import render
from miningflow.store.opening import Store
from miningflow.store.source_columns import RawSource

# Features with more values than that are no codes.
MOST_VALUES = 1000


def with_known_spellings(
    raw: RawSource, case: str, concept: str, kinds: Mapping[str, str], store: Store, stored: Session
) -> RawSource:
    """Reads `True` as `true`, or `1.0` as `1`, where only the latter is stored, and vice versa."""
    if concept not in store.engine.objects(Names(case).schema):
        return raw
    published = render(Names(case).public(concept), store.engine.dialect)
    expressions = dict(raw.expressions)
    for feature, kind in kinds.items():
        if kind not in ("nominal", "binary"):
            continue
        tree = expressions[feature]
        given = _values(raw.session, tree, raw.relation)
        doubtful = [value for value in given if is_code(value)]
        if not doubtful:
            continue
        known = _values(stored, stored.quoted(feature), published)
        spelled = {v: k for v in doubtful if (k := _spelling(v, known)) is not None}
        if spelled:
            whens = " ".join(f"WHEN {text(v)} THEN {text(k)}" for v, k in spelled.items())
            expressions[feature] = f"CASE {tree} {whens} ELSE {tree} END"
    return replace(raw, expressions=expressions)


def _values(session: Session, tree: str, relation: str) -> set[str]:
    """Returns the values of a category, or none if there are too many for codes."""
    query = f"SELECT DISTINCT {tree} AS value FROM {relation} LIMIT {MOST_VALUES + 1}"
    found = {value for (value,) in session.rows(query) if value is not None}
    return found if len(found) <= MOST_VALUES else set()


def _spelling(value: str, known: set[str]) -> str | None:
    """Returns the one stored value that means the same, if the value itself is not stored."""
    if value in known:
        return None
    found = [other for other in known if same_code(other, value)]
    return found[0] if len(found) == 1 else None
