"""Compares selectors on the rows that a selecting step learns from."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from miningflow.catalog import installed
from miningflow.compile import Names, compile_bound
from miningflow.compile.pieces import bind_present
from miningflow.declare.concept import FEATURE_TYPES
from miningflow.declare.operator import Operator
from miningflow.declare.rows import LearningError, TrainingRows, finite
from miningflow.declare.selection import FeatureSelection
from miningflow.errors import Diagnostic, MiningFlowError, RunError, suggestion
from miningflow.learn.selection.comparison_metrics import METRICS, Metric
from miningflow.learn.selection.contestant import Contestant
from miningflow.resolve import BoundCase, BoundStep
from miningflow.resolve.lookup import find_step
from miningflow.run.events import Listener
from miningflow.run.training_rows import Training
from miningflow.store.opening import Store
from miningflow.store.stored_builds import stored_builds
from miningflow.verbs.compare.advised_step import advised_step
from miningflow.verbs.compare.comparison import Comparison, Question

if TYPE_CHECKING:
    from miningflow.learn.selection.comparison import Entrant


def selecting_step(bound: BoundCase, name: str) -> BoundStep:
    """Finds a step that selects by a target."""

    def fits(step: BoundStep) -> bool:
        return isinstance(step.operator, FeatureSelection) and hasattr(step.operator, "target")

    return find_step(name, bound, "select features by a target", fits)


def compare_selectors(
    bound: BoundCase, store: Store, step: BoundStep, question: Question, listener: Listener
) -> Comparison:
    """Runs selectors on the training rows of a step; changes nothing in the store."""
    from miningflow.learn.selection.comparison import Rivalry, advise, compare

    if step.within:
        hint = f"compare before {step.within[0].step!r}, or in a case without it"
        message = f"{step.name!r} selects in each segment separately, which cannot be compared"
        raise RunError(Diagnostic(message, step.place(), hint))
    metric = _metric(question)
    source = step.learn_on or step.inputs[0]
    stored = stored_builds(bound.name, store.repository)
    pieces = {
        name: compile_bound(bound, stored, upto=name).pieces[name]
        for name in dict.fromkeys([source, *step.inputs])
    }
    piece = pieces[source]
    operator: Any = bind_present(step, pieces)
    names = [f.name for f in operator.attributes]
    operators = contestants(installed())
    with store.engine.session() as session:
        rows = Training(
            f"compare {step.name}",
            piece.presence.concept,
            piece.source(),
            Names(bound.name).public,
            session,
            store.engine.dialect,
            listener,
            threading.Event(),
        )
        try:
            X, labels, groups = _examples(operator.known(rows), operator, names, question)
            classes = [str(label) for label in np.unique(labels)]
            if metric.needs_decisions and len(classes) > 2:
                raise LearningError(
                    f"the area under the ROC curve needs two classes, not {len(classes)}",
                    "give 'positive' in the step, or use another --metric",
                )
            entrants, left_out = _entrants(question.selectors, operators, operator, len(classes))
            positive = getattr(operator, "positive", None)
            rivalry = Rivalry(X, labels, groups, question.folds, metric, positive)
            curves = compare(rivalry, entrants, rows.progress)
        except LearningError as error:
            raise RunError(Diagnostic(error.message, step.place(), error.hint)) from None
    advice = advise(curves, metric)
    chosen = next(e for e in entrants if e.contestant == advice.contestant)
    advised = installed()[operators[advice.contestant]]
    attributes = [names[at] for at in chosen.candidates]
    text = advised_step(
        bound.case, step, advised, advice.contestant, attributes, advice.keep, classes
    )
    return Comparison(
        step=step.name,
        features=tuple(names),
        rows=len(labels),
        folds=question.folds,
        metric=metric.name,
        constant=metric.best_constant(labels, positive),
        constant_error=METRICS["error"].best_constant(labels, positive),
        curves=tuple(curves),
        advice=advice,
        advised_step=text,
        left_out=left_out,
        always_kept={
            entrant.contestant.name: kept
            for entrant in entrants
            if (kept := tuple(n for at, n in enumerate(names) if at not in entrant.candidates))
        },
        operators={contestant.name: operator for contestant, operator in operators.items()},
    )


def _metric(question: Question) -> Metric:
    if question.metric not in METRICS:
        hint = suggestion(question.metric, METRICS, "metrics")
        raise RunError(Diagnostic(f"there is no metric {question.metric!r}", None, hint))
    return METRICS[question.metric]


def _examples(rows: TrainingRows, operator: Any, names: Sequence[str], question: Question) -> Any:
    """Fetches and encodes the rows: a matrix, the labels, and which columns are one feature."""
    from miningflow.learn.encoding import learn_encoding

    target, positive = operator.target, getattr(operator, "positive", None)
    fetched = rows.fetch([*names, target.name], most=question.rows)
    nominal = {f.name for f in operator.attributes if f.type != "numeric"}
    finite(fetched, [name for name in names if name not in nominal])
    labels = fetched[target.name].astype(str)
    if positive is not None and not (labels == str(positive)).any():
        raise LearningError(
            f"{target.name!r} has no {str(positive)!r}, the positive class, in these rows",
            "use more --rows, or correct 'positive'",
        )
    if positive is not None:
        labels = np.where(labels == str(positive), str(positive), "other")
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2 or counts.min() < question.folds:
        few = ", ".join(f"{n:,} of {str(c)!r}" for c, n in zip(classes, counts, strict=True))
        raise LearningError(
            f"{question.folds} folds need as many rows of each class of {target.name!r}; "
            f"there are {few or 'none'}",
            "use fewer --folds or more --rows",
        )
    encoding = learn_encoding({name: fetched[name] for name in names}, nominal)
    matrix = encoding.encode({name: fetched[name] for name in names})
    return matrix, labels, np.asarray(encoding.groups, dtype=np.intp)


def contestants(catalog: Mapping[str, type[Operator]]) -> dict[Contestant, str]:
    """Returns the selectors that operators declare for comparisons, and the operator of each."""
    found: dict[str, tuple[Contestant, str]] = {}
    for operator, cls in catalog.items():
        contestant = vars(cls).get("contestant")  # a subclass searches differently
        if isinstance(contestant, Contestant):
            if contestant.name in found:
                both = f"{found[contestant.name][1]} and {operator}"
                raise MiningFlowError(f"{both} take part in comparisons as {contestant.name!r}")
            found[contestant.name] = contestant, operator
    return dict(sorted(found.values(), key=lambda entry: (entry[0].effort, entry[0].name)))


def _entrants(
    wanted: Sequence[str], available: Mapping[Contestant, str], step: Any, classes: int
) -> tuple[list[Entrant], dict[str, str]]:
    """Returns who takes part with which features, and why the others do not."""
    from miningflow.learn.selection.comparison import Entrant

    known = {c.name: c for c in available}
    for name in wanted:
        if name not in known:
            hint = suggestion(name, known, "selectors")
            raise RunError(Diagnostic(f"there is no selector {name!r}", None, hint))
    able = {c: _candidates(installed()[operator], step) for c, operator in available.items()}
    refusals = {c.name: _refusal(c, able[c], classes) for c in known.values()}
    asked = [known[name] for name in wanted or known]
    entrants = [Entrant(c, able[c]) for c in asked if not refusals[c.name]]
    left_out = {c.name: refusals[c.name] for c in asked if refusals[c.name]}
    if not entrants:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        usable = [name for name, why in refusals.items() if not why]
        hint = f"these can: {', '.join(usable)}" if usable else ""
        raise LearningError(f"none of these selectors can be used here: {reasons}", hint)
    return entrants, left_out


def _refusal(contestant: Contestant, candidates: Sequence[int], classes: int) -> str:
    """Returns why a contestant cannot take part, or nothing."""
    if contestant.two_classes and classes != 2:
        return f"it needs two classes and there are {classes} (give 'positive')"
    return "" if candidates else "it selects among numeric features only"


def _candidates(operator: type[Operator], step: Any) -> tuple[int, ...]:
    """Returns the positions of the attributes that an operator can select among."""
    types = _accepted_types(operator)
    return tuple(at for at, f in enumerate(step.attributes) if f.type in types)


def _accepted_types(operator: type[Operator]) -> tuple[str, ...]:
    """Returns the types of features that an operator selects among."""
    kinds = [p.kind for p in operator.parameters() if p.name == "attributes"]
    types: tuple[str, ...] = getattr(kinds[0], "types", ()) if kinds else ()
    return types or FEATURE_TYPES
