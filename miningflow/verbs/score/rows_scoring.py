"""Scores new rows with the statement of the scoring script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from miningflow.compile import Names, ScoreScript
from miningflow.engines import Session
from miningflow.errors import Diagnostic, RunError, suggestion
from miningflow.learn.kernels import KernelModel
from miningflow.sql.dialect import render
from miningflow.sql.models.cost import choose
from miningflow.store.opening import Store
from miningflow.verbs.score.new_rows import NewRows, offer_rows
from miningflow.verbs.score.output import Output, check_output, write_scores
from miningflow.verbs.score.scoring import Scoring
from miningflow.warn import ResultWarning, collapsed
from miningflow.warn.of_scores import ScoredRows, score_warnings

if TYPE_CHECKING:
    import pandas as pd

# Beyond that many seconds of a processor this process computes kernels itself.
SECONDS_OF_SQL = 10.0


@dataclass(frozen=True)
class Scores:
    """The scores of new rows, or where they were written."""

    rows: int
    table: pa.Table | None = None
    written: str | None = None
    report: ScoredRows | None = None
    """How many rows have no score and why, and values that were not learned."""
    warnings: tuple[ResultWarning, ...] = ()
    """What makes the scores doubtful, and what to do about it."""

    def to_frame(self) -> pd.DataFrame:
        """Returns the scores, a row for each row; without rows if they were written."""
        import pandas as pd

        frame: pd.DataFrame = pd.DataFrame() if self.table is None else self.table.to_pandas()
        return frame


def score_rows(
    scoring: Scoring, store: Store, inputs: Mapping[str, NewRows], output: Output
) -> Scores:
    """Scores new rows; concepts without new rows are read from the store as last published."""
    for name in inputs:
        if name not in scoring.bound.sources:
            hint = suggestion(name, scoring.bound.sources, "concepts")
            raise RunError(Diagnostic(f"the case has no source concept {name!r}", None, hint))
    check_output(store, output.named)
    with store.engine.session() as session:
        for name in scoring.script.inputs:
            if name in inputs:
                try:
                    offer_rows(session, scoring, store, name, inputs[name])
                except RunError as error:  # new rows stand in no file with lines
                    raise RunError(*(replace(m, place=None) for m in error.diagnostics)) from None
            else:
                published = render(Names(scoring.bound.name).public(name), store.engine.dialect)
                target = session.quoted(name)
                session.execute(f"CREATE TEMP VIEW {target} AS SELECT * FROM {published}")
        script, models = scoring.script.called()
        offered = store.engine.offers_models
        if not offered or not _is_worth_it(session, scoring.script, models):
            script, models = scoring.script, {}
        sql = render(script.tree(store.engine.dialect), store.engine.dialect)
        with session.offering(models):
            scores = _scores(session, store, sql, output)
        return _reported(session, store, scoring, scores)


def _reported(session: Session, store: Store, scoring: Scoring, scores: Scores) -> Scores:
    """Adds what the new rows have that the model is applied to."""
    if scoring.judged is None or not scores.rows:
        return replace(scores, report=ScoredRows(scores.rows))
    found = session.rows(scoring.judged.sql(store.engine.dialect))[0]
    report = scoring.judged.report(found)
    warnings = collapsed(score_warnings(scoring.script.step, report))
    return replace(scores, report=report, warnings=warnings)


def _is_worth_it(session: Session, script: ScoreScript, models: Mapping[str, KernelModel]) -> bool:
    """Returns whether to compute kernels in this process: faster, but the last digit may differ.

    A score that is a matter of seconds is that of the exported SQL, whatever rows are beside it.
    """
    per_million = sum(
        choose(model, model.support.shape[1]).seconds_per_million for model in models.values()
    )
    if not models:
        return False
    rows = max(
        int(session.rows(f"SELECT count(*) FROM {session.quoted(name)}")[0][0])
        for name in script.inputs
    )
    return per_million * rows / 1e6 > SECONDS_OF_SQL


def _scores(session: Session, store: Store, sql: str, output: Output) -> Scores:
    if output.named is None:
        table = session.arrow(sql)
        return Scores(table.num_rows, table=table)
    rows = write_scores(session, store, sql, output)
    shown = str(output.named) if output.scratch is not None else f"table {output.named}"
    return Scores(rows, written=shown)
