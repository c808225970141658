"""Fitted linear models beyond machines: probabilities of classes, and numbers behind a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from miningflow.fitted.machines import read_machine
from miningflow.sql.block import Block
from miningflow.sql.models.decisions import decided, output_names
from miningflow.sql.models.model_inputs import ModelInputs, new_names
from miningflow.sql.models.probabilities import (
    behind_logarithm,
    shares,
    sigmoid,
    softmax_parts,
)

Outputs = tuple[Block, list[str]]


def linear_model(fitted: Any, columns: ModelInputs) -> Outputs | None:
    """Adds the outputs of a model that is more than a machine; None if it is not one of these."""
    name = type(fitted).__name__
    if name in _PROBABILITIES:
        return _with_probabilities(fitted, columns, softmax=_PROBABILITIES[name](fitted))
    if name in _LOG_LINKS and _LOG_LINKS[name](fitted):
        return _behind_logarithm(fitted, columns)
    return None


def _with_probabilities(fitted: Any, columns: ModelInputs, softmax: bool) -> Outputs:
    """Adds decisions, the probability of the second of two classes or of each, and the label."""
    machine = read_machine(fitted, len(columns.values))
    outputs = output_names(machine)
    decisions, label = outputs[:-1], outputs[-1]
    rows = decided(machine, columns, outputs).layered()
    taken = [*rows.columns, "probability"]
    if len(decisions) == 1:
        rows = rows.extend({"probability": sigmoid(decisions[0], -1.0, 0.0)})
        return rows, [*decisions, "probability", label]
    parts = new_names("part", len(decisions), taken)
    if softmax:
        rows = rows.extend(dict(zip(parts, softmax_parts(decisions), strict=True))).layered()
    else:
        curves = [sigmoid(decision, -1.0, 0.0) for decision in decisions]
        rows = rows.extend(dict(zip(parts, curves, strict=True))).layered()
    probabilities = [f"probability_{i}" for i in range(len(decisions))]
    rows = rows.extend(dict(zip(probabilities, shares(parts), strict=True)))
    return rows, [*decisions, *probabilities, label]


def _behind_logarithm(fitted: Any, columns: ModelInputs) -> Outputs:
    """Adds exp(w·x + b); NULL where that is too large for a double."""
    machine = read_machine(fitted, len(columns.values))
    [sum_name] = new_names("sum", 1, [*columns.rows.columns, "prediction"])
    rows = decided(machine, columns, [sum_name]).layered()
    return rows.extend({"prediction": behind_logarithm(sum_name)}), ["prediction"]


def _is_softmax(fitted: Any) -> bool:
    """Returns whether more than two classes share by softmax; liblinear's by sums of sigmoids."""
    multi = getattr(fitted, "multi_class", "auto")
    return bool(multi != "ovr" and fitted.solver != "liblinear")


_PROBABILITIES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "LogisticRegression": _is_softmax,
    "LogisticRegressionCV": _is_softmax,
    "LinearDiscriminantAnalysis": lambda fitted: True,
}
_LOG_LINKS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "PoissonRegressor": lambda fitted: True,
    "GammaRegressor": lambda fitted: True,
    "TweedieRegressor": lambda fitted: (
        fitted.link == "log" or (fitted.link == "auto" and fitted.power > 0)
    ),
}
