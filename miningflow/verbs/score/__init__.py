"""`score`: new rows, with everything learned frozen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from miningflow.compile import compile_bound, score_script
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.store.opening import needed, open_store
from miningflow.store.stored_builds import stored_builds
from miningflow.verbs.score.judged_rows import judged_rows
from miningflow.verbs.score.new_rows import NewRows, access_for
from miningflow.verbs.score.output import output_to
from miningflow.verbs.score.rows_scoring import Scores, score_rows
from miningflow.verbs.score.scoring import Scoring
from miningflow.verbs.score.script import scoring_step

__all__ = ["NewRows", "Scores", "score"]


def score(
    bound: BoundCase,
    connection: ConnectionText | None,
    inputs: Mapping[str, NewRows],
    output: str | Path | None = None,
    step: str | None = None,
    keep: tuple[str, ...] = (),
    wait: float = 0.0,
) -> Scores:
    """Scores new rows with everything learned frozen: nothing is learned again."""
    sources = needed(bound.case, connection).sources
    to = output_to(output)
    access = access_for(inputs, to)
    with open_store(bound.case, connection, wait, alone=False, access=access) as store:
        name = scoring_step(bound, step)
        compiled = compile_bound(bound, stored_builds(bound.name, store.repository), upto=name)
        script = score_script(bound, compiled.pieces, name, keep)
        judged = judged_rows(bound, compiled, name)
        chosen = Scoring(bound, script, sources, judged)
        return score_rows(chosen, store, inputs, to)
