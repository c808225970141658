"""Compares selectors on the rows that a selecting step learns from."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from miningflow.compile import Names
from miningflow.compile.pieces import bind_present
from miningflow.declare.rows import LearningError, TrainingRows, finite
from miningflow.declare.selection import FeatureSelection
from miningflow.errors import Mistake, RunError, suggestion
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.events import Listener
from miningflow.run.frozen import frozen_pieces
from miningflow.run.store import Store
from miningflow.run.training import Training


@dataclass(frozen=True)
class Comparison:
    """What came out: a curve for each selector, and what it was measured on."""

    step: str
    features: tuple[str, ...]
    rows: int
    folds: int
    constant_error: float
    """The error of always answering with the most frequent class."""
    curves: tuple[Any, ...]
    advice: Any
    left_out: tuple[str, ...]
    """Selectors that cannot be used on these data."""


@dataclass(frozen=True)
class Question:
    """Which selectors to compare, on how many rows, in how many folds."""

    selectors: tuple[str, ...] = ()
    rows: int = 1000
    folds: int = 5


def selecting_step(bound: BoundCase, name: str) -> BoundStep:
    """Finds a step that selects by a target."""
    found = bound.steps.get(bound.chains.get(name, name))
    with_target = [
        n
        for n, s in bound.steps.items()
        if isinstance(s.operator, FeatureSelection) and hasattr(s.operator, "target")
    ]
    if found is None or found.name not in with_target:
        what = "is not a step" if found is None else "does not select features by a target"
        hint = suggestion(name, with_target, "selections by a target")
        place = None if found is None else found.place()
        raise RunError(Mistake(f"{name!r} {what}", place, hint))
    return found


def compare_selectors(
    bound: BoundCase, store: Store, step: BoundStep, question: Question, listener: Listener
) -> Comparison:
    """Runs selectors on the training rows of a step; changes nothing in the store."""
    from miningflow.learn.selection.comparison import advise, compare

    if step.within:
        hint = f"compare before {step.within[0].step!r}, or in a case without it"
        message = f"{step.name!r} selects in each segment by itself, which cannot be compared"
        raise RunError(Mistake(message, step.place(), hint))
    source = step.learn_on or step.inputs[0]
    piece = frozen_pieces(bound, store.repository, upto=source).pieces[source]
    operator: Any = bind_present(step, {source: piece, **_others(bound, store, step, source)})
    names = [f.name for f in operator.attributes]
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
            chosen, left_out = _chosen(question.selectors, len(np.unique(labels)))
            curves = compare(X, labels, groups, chosen, question.folds, rows.progress)
        except LearningError as error:
            raise RunError(Mistake(error.message, step.place(), error.hint)) from None
    _, counts = np.unique(labels, return_counts=True)
    constant = 1 - float(counts.max()) / len(labels)
    return Comparison(
        step.name,
        tuple(names),
        len(labels),
        question.folds,
        constant,
        tuple(curves),
        advise(curves),
        left_out,
    )


def _others(bound: BoundCase, store: Store, step: BoundStep, source: str) -> dict[str, Any]:
    others = [name for name in step.inputs if name != source]
    return {n: frozen_pieces(bound, store.repository, upto=n).pieces[n] for n in others}


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
            "take more --rows, or correct 'positive'",
        )
    if positive is not None:
        labels = np.where(labels == str(positive), str(positive), "other")
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2 or counts.min() < question.folds:
        few = ", ".join(f"{n:,} of {str(c)!r}" for c, n in zip(classes, counts, strict=True))
        raise LearningError(
            f"{question.folds} folds need as many rows of each class of {target.name!r}; "
            f"there are {few or 'none'}",
            "take fewer --folds or more --rows",
        )
    encoding = learn_encoding({name: fetched[name] for name in names}, nominal)
    matrix = encoding.encode({name: fetched[name] for name in names})
    return matrix, labels, np.asarray(encoding.groups, dtype=np.intp)


def _chosen(wanted: Sequence[str], classes: int) -> tuple[list[Any], tuple[str, ...]]:
    from miningflow.learn.selection.comparison import CONTESTANTS

    known = {c.name: c for c in CONTESTANTS}
    for name in wanted:
        if name not in known:
            raise RunError(
                Mistake(
                    f"there is no selector {name!r}", None, suggestion(name, known, "selectors")
                )
            )
    contestants = [known[name] for name in wanted or known]
    fit = [c for c in contestants if classes == 2 or not c.two_classes]
    if not fit:
        raise LearningError(
            f"none of these selectors can be used with {classes} classes",
            f"these can: {', '.join(c.name for c in CONTESTANTS if not c.two_classes)}",
        )
    return fit, tuple(c.name for c in contestants if c not in fit)
