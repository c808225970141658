"""A CalibratedClassifierCV with sigmoids: the mean of its members' probabilities."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from miningflow.fitted.refusals import check_fitted, is_scikit_learns, refused
from miningflow.fitted.steps import machine_over, steps_of
from miningflow.fitted.supported import TREE_MODELS
from miningflow.sql.block import Block
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.classes import by_greatest
from miningflow.sql.models.decisions import decided, output_names
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.sql.models.probabilities import divided, shares, sigmoid
from miningflow.sql.models.values import literal


def calibrated(fitted: Any, columns: ModelInputs) -> tuple[Block, list[str]]:
    """Adds the probability of the second of two classes, or that of each, and the likeliest class.

    Returns the rows and the names of the columns that were added.
    """
    check_fitted(fitted, len(columns.values))
    if fitted.method != "sigmoid":
        raise refused(
            f"CalibratedClassifierCV with method {fitted.method!r} cannot be written as SQL",
            "use method='sigmoid'",
        )
    classes = tuple(fitted.classes_)
    two = len(classes) == 2
    members = fitted.calibrated_classifiers_
    members_of: list[list[str]] = [[] for _ in classes[1 if two else 0 :]]
    rows = columns.rows
    for number, member in enumerate(members, 1):
        rows, names = _member(member, ModelInputs(rows, columns.values), classes, number)
        for own, name in zip(members_of, names, strict=True):
            own.append(name)
    outputs = ["probability"] if two else [f"probability_{i}" for i in range(len(classes))]
    means = {name: _mean(own) for name, own in zip(outputs, members_of, strict=True)}
    rows = rows.extend(means).layered()
    labels = [literal(c) for c in classes]
    label = _likelier(outputs[0], labels) if two else by_greatest(outputs, labels, outputs)
    return rows.extend({"label": label}), [*outputs, "label"]


def _member(
    member: Any, columns: ModelInputs, classes: tuple[Any, ...], number: int
) -> tuple[Block, list[str]]:
    inner = steps_of(member.estimator)[-1]
    if type(inner).__name__ in TREE_MODELS and is_scikit_learns(inner):
        raise refused(
            f"CalibratedClassifierCV around {type(inner).__name__} cannot be written as SQL",
            "calibrate a linear classifier or a support vector machine",
        )
    machine, reaching = machine_over(member.estimator, columns)
    taken = reaching.rows.columns
    names = [unused(f"{name} of {number}", taken) for name in output_names(machine)]
    decisions = names[:-1]
    if tuple(member.estimator.classes_) != classes or len(decisions) != len(member.calibrators):
        raise refused(
            "CalibratedClassifierCV has a member that does not decide about each class",
            "use decision_function_shape='ovr', and folds that hold rows of all classes",
        )
    rows = decided(machine, reaching, names).owned_by(f"member {number}").layered()
    sigmoids = [unused(f"sigmoid {i} of {number}", rows.columns) for i in range(len(decisions))]
    curves = zip(sigmoids, decisions, member.calibrators, strict=True)
    rows = rows.extend({s: sigmoid(d, float(c.a_), float(c.b_)) for s, d, c in curves}).layered()
    if len(classes) == 2:
        return rows, sigmoids
    parts = {
        unused(f"share {i} of {number}", rows.columns): share
        for i, share in enumerate(shares(sigmoids))
    }
    return rows.extend(parts).layered(), list(parts)


def _mean(names: list[str]) -> exp.Expression:
    total = exp.Paren(this=balanced_sum([column(name) for name in names]))
    return divided(total, double(len(names)))


def _likelier(probability: str, labels: list[exp.Expression]) -> exp.Expression:
    half = double(0.5)
    likely = column(probability) > half
    unlikely = column(probability) <= half
    first, second = labels
    return exp.Case(ifs=[exp.If(this=likely, true=second), exp.If(this=unlikely, true=first)])
