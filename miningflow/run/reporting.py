"""Makes the report of a run from what its stages gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miningflow.compile import Names, Piece
from miningflow.declare.segmentation import artifacts_of
from miningflow.declare.selection import Selection
from miningflow.plan import Plan, Stage
from miningflow.repository import ParityRecord
from miningflow.resolve import BoundCase
from miningflow.run.case_warnings import case_warnings
from miningflow.run.evaluated_models import evaluated_model, group_feature, with_learned_rows
from miningflow.run.exporting import Exports
from miningflow.run.outcome import Outcome
from miningflow.run.report import Dropped, Report, StageReport
from miningflow.sql.dialect import render
from miningflow.sql.literals import column
from miningflow.store.opening import Store
from miningflow.warn import collapsed
from miningflow.warn.result_warning import from_notes


def report_run(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    run: int | None,
    outcomes: Mapping[str, Outcome],
    exports: Exports,
    seconds: float,
) -> Report:
    """Reports on every stage, on what was deselected, and on how good the models are."""
    stages: list[StageReport] = []
    dropped: list[Dropped] = []
    evaluations: dict[str, list[dict[str, Any]]] = {}
    parities = store.repository.parity(bound.name)
    for stage in plan.stages:
        outcome = outcomes.get(stage.name)
        if outcome is None:
            stages.append(_line(stage, None))
            continue
        parity = parities.get((stage.name, stage.fingerprint, outcome.run))
        stages.append(_line(stage, outcome, parity))
        dropped += _dropped(stage.name, outcome)
        step = bound.steps.get(stage.name)
        if step is not None and step.operator.reports and not step.hidden:
            rows = _evaluation_rows(store, Names(bound.name), outcome.piece)
            # rows that were learned from are not counted for each group
            model = evaluated_model(bound, step) if group_feature(step.operator) is None else None
            learned = outcomes[model].artifact if model and model in outcomes else None
            evaluations[stage.name] = with_learned_rows(rows, step.output.segmentations, learned)
    of_stages = (w for outcome in outcomes.values() for w in from_notes(outcome.notes)[1])
    of_case = case_warnings(bound, plan, evaluations)
    return Report(
        bound.name,
        run,
        store.url,
        tuple(stages),
        tuple(dropped),
        evaluations,
        seconds,
        exports=tuple(exports.known.values()),
        warnings=(*collapsed(of_stages, turns=True), *collapsed(of_case)),
    )


def _dropped(step: str, outcome: Outcome) -> list[Dropped]:
    found: list[Dropped] = []
    for segment, learned in artifacts_of(outcome.artifact):
        if isinstance(learned, Selection):
            where = f"{segment}: " if segment.labels else ""
            reason = f"{where}{learned.reason}"
            found += [Dropped(step, name, reason) for name in learned.dropped]
    return found


def _evaluation_rows(store: Store, names: Names, piece: Piece) -> list[dict[str, Any]]:
    concept = piece.presence.concept
    features = [*(s.feature for s in concept.segmentations), *concept.features]
    shown = ", ".join(render(column(f), store.engine.dialect) for f in features)
    table = render(names.public(piece.name), store.engine.dialect)
    with store.engine.session() as session:
        by = piece.operator is not None and group_feature(piece.operator) is not None
        order = ", ".join(str(i + 1) for i in range(len(concept.segmentations) + 1 + by))
        rows = session.rows(f"SELECT {shown} FROM {table} ORDER BY {order}")
    counts = piece.operator.whole_numbers if piece.operator else ()
    return [
        {
            name: int(value) if name in counts and value is not None else value
            for name, value in zip(features, row, strict=True)
        }
        for row in rows
    ]


def _line(stage: Stage, outcome: Outcome | None, parity: ParityRecord | None = None) -> StageReport:
    return StageReport(
        stage.name,
        stage.operator,
        stage.builds,
        stage.action,
        stage.reason,
        None if outcome is None else outcome.rows,
        0.0 if outcome is None else outcome.seconds,
        () if outcome is None else from_notes(outcome.notes)[0],
        parity,
    )
