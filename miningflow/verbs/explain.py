"""Explains a step: what it learned and where, the SQL it became, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from miningflow.compile import Names, Piece, StoredBuilds, compile_bound
from miningflow.compile.functions import model_functions, why_none
from miningflow.declare.segmentation import artifacts_of
from miningflow.pipeline import reading, store_dialect
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase, BoundStep
from miningflow.resolve.lookup import find_step
from miningflow.sql.dialect import NotInDialect, render
from miningflow.sql.literal_table import tables_read, values_select
from miningflow.store.stored_builds import stored_builds
from miningflow.verbs.score.script import scoring_step

if TYPE_CHECKING:
    import pandas as pd

    from miningflow.repository.repository import Repository


@dataclass(frozen=True)
class Explanation:
    """What is known of a step, by topic."""

    step: str
    operator: str
    dialect: str
    topics: dict[str, str]

    def _repr_html_(self) -> str:
        from miningflow.html import page, table

        said = "" if self.topics else ", which learns nothing"
        rows = [[topic, text] for topic, text in self.topics.items()]
        shown = table(["topic", "explanation"], rows) if rows else None
        return page(self.step, f"{self.operator}{said}", shown)

    def as_json(self) -> dict[str, Any]:
        """Returns the explanation as plain data for programs."""
        return asdict(self)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each topic."""
        import pandas as pd

        return pd.DataFrame(list(self.topics.items()), columns=["topic", "explanation"])


def explain(
    bound: BoundCase,
    connection: ConnectionText | None,
    step: str | None = None,
    dialect: str | None = None,
) -> Explanation:
    """Explains a step: what it learned and where, the SQL it became, its cost. Changes nothing."""
    name = step or scoring_step(bound, None)
    with reading(bound, connection) as store:
        stored = store.repository if store else None
        return explain_step(bound, stored, name, dialect or store_dialect(connection))


def explain_step(
    bound: BoundCase, repository: Repository | None, name: str, dialect: str
) -> Explanation:
    """Explains a step as it was learned, or as it will be."""
    step = find_step(name, bound)
    meant = step.name
    stored = stored_builds(bound.name, repository)
    compiled = compile_bound(bound, stored)
    piece = compiled.pieces.get(meant)
    topics: dict[str, str] = {}
    if piece is None or piece.operator is None:
        topics["state"] = f"no SQL yet: it {compiled.missing.get(meant, 'is left out')}"
        topics |= step.operator.explanation(None)
    else:
        topics |= _as_learned(bound, repository, stored, step, piece)
        topics |= _as_sql(bound, compiled.pieces, piece, dialect)
    return Explanation(meant, type(step.operator).__name__, dialect, topics)


def _as_learned(
    bound: BoundCase,
    repository: Repository | None,
    stored: StoredBuilds,
    step: BoundStep,
    piece: Piece,
) -> dict[str, str]:
    assert piece.operator is not None
    if step.operator.learns is None or repository is None:
        return piece.operator.explanation(None)
    topics: dict[str, str] = {}
    for segment, learned in artifacts_of(stored.artifact(step)):
        where = f" ({segment})" if segment.labels else ""
        explained = piece.operator.explanation(learned)
        topics |= {f"{topic}{where}": text for topic, text in explained.items()}
    build = stored.published.get(step.name)
    if build is not None:
        parity = repository.parity(bound.name).get((build.step, build.fingerprint, build.run))
        if parity is not None:
            topics["parity"] = str(parity)
    return topics


def _as_sql(
    bound: BoundCase, pieces: Mapping[str, Piece], piece: Piece, dialect: str
) -> dict[str, str]:
    names = Names(bound.name)
    topics: dict[str, str] = {}
    try:
        select = piece.block.select(names.public, dialect)
        tables = tables_read(piece.block.values(), select)
        topics["SQL"] = f"{len(render(select, dialect)):,} characters for {dialect}"
        for values in tables:
            written = render(values_select(values, dialect), dialect)
            topics["tables"] = (
                f"{values.name}: {len(values.rows):,} rows of {len(values.columns)} columns, "
                f"{len(written):,} characters to create it"
            )
        functions = model_functions(pieces, piece.name, names.public, dialect)
        if functions:
            topics["functions"] = "; ".join(f.call(names.schema) for f in functions)
        elif piece.operator is not None and piece.operator.scores:
            topics["functions"] = f"none: {why_none(dialect)}"
    except NotInDialect as error:
        topics["SQL"] = f"refused: {error}"
    return topics
