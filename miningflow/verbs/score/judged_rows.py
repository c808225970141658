"""A query about the rows that a model is applied to: what is missing, or was not learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from miningflow.compile import Compiled, Piece, ScoreScript, rows_script
from miningflow.declare.operator import ScoreNeeds
from miningflow.resolve import BoundCase
from miningflow.run.scored_rows import scored_row_counts, scored_rows
from miningflow.sql.dialect import render
from miningflow.warn.of_scores import ScoredRows


@dataclass(frozen=True)
class JudgedRows:
    """The predictors of a model over new rows, and what the model needs of them."""

    needs: ScoreNeeds
    script: ScoreScript

    def sql(self, dialect: str) -> str:
        """Returns the query that counts."""
        counts = scored_row_counts(self.needs)
        named = [exp.alias_(tree, name, quoted=True) for name, tree in counts.items()]
        rows = exp.Subquery(
            this=self.script.tree(dialect),
            alias=exp.TableAlias(this=exp.to_identifier("scored rows", quoted=True)),
        )
        return render(exp.Select(expressions=named, from_=exp.From(this=rows)), dialect)

    def report(self, row: Sequence[Any]) -> ScoredRows:
        """Makes what the query found of its only row."""
        return scored_rows(self.needs, dict(zip(scored_row_counts(self.needs), row, strict=True)))


def judged_rows(bound: BoundCase, compiled: Compiled, step: str) -> JudgedRows | None:
    """Returns how to look at the rows of a model; None where it learned in segments."""
    pieces: Mapping[str, Piece] = compiled.pieces
    operator, artifact = pieces[step].operator, compiled.artifacts.get(step)
    if operator is None or artifact is None or bound.steps[step].within:
        return None
    needs = operator.score_needs(artifact)
    if needs is None or not needs.used:
        return None
    names = [p.name for p in needs.encoding.predictors if p.name in needs.used]
    source = bound.steps[step].inputs[0]
    return JudgedRows(needs, rows_script(bound, pieces, source, tuple(names)))
