"""Fitted trees, forests and boosted trees of scikit-learn as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlglot import exp

from miningflow.fitted.categories import ordinal
from miningflow.fitted.read_trees import (
    LARGEST_DOUBLE,
    ReadTree,
    Split,
    categories_of,
    read_histogram_tree,
    read_tree,
)
from miningflow.fitted.refusals import check_fitted, refused
from miningflow.fitted.supported import BOOSTED, FORESTS, HISTOGRAM_BOOSTED, SINGLE_TREES
from miningflow.fitted.tree_cases import tree_case
from miningflow.learn.trees import LARGEST
from miningflow.sql.block import Block
from miningflow.sql.conditions import is_known, when
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.classes import by_greatest, by_sign
from miningflow.sql.models.model_inputs import ModelInputs, new_names
from miningflow.sql.models.probabilities import (
    behind_logarithm,
    divided,
    shares,
    sigmoid,
    softmax_parts,
)
from miningflow.sql.models.values import as_number, is_missing, literal, number_tree

Outputs = tuple[Block, list[str]]

MOST_LEAVES: Final = 100_000
"""Writing them takes most of a minute, and DuckDB as long to read them."""


@dataclass(frozen=True)
class _Ensemble:
    """For each output the trees whose values are added to a start, and what becomes of the sum."""

    outputs: tuple[tuple[tuple[ReadTree, int], ...], ...]
    """For each output trees, and which of their values it takes."""
    starts: tuple[float, ...]
    divisor: float
    takes_missing: bool
    largest: float
    """scikit-learn refuses numbers beyond it."""


def tree_model(fitted: Any, columns: ModelInputs) -> Outputs | None:
    """Adds the outputs of a model of trees; None if it is not one of these."""
    name = type(fitted).__name__
    if name in SINGLE_TREES or name in FORESTS:
        return _averaged(fitted, columns)
    if name in BOOSTED:
        return _boosted(fitted, columns)
    if name in HISTOGRAM_BOOSTED:
        return _histogram_boosted(fitted, columns)
    return None


def _averaged(fitted: Any, columns: ModelInputs) -> Outputs:
    """Adds what a tree says, or the mean of what the trees of a forest say."""
    from miningflow.learn.scikit_learn import get_tags

    check_fitted(fitted, len(columns.values))
    if fitted.n_outputs_ > 1:
        raise refused(
            f"{type(fitted).__name__} with several targets cannot be written as SQL",
            "fit one model for each target",
        )
    members = getattr(fitted, "estimators_", [fitted])
    trees = [read_tree(member) for member in members]
    classes = tuple(fitted.classes_) if hasattr(fitted, "classes_") else ()
    wanted = [1] if len(classes) == 2 else list(range(max(1, len(classes))))
    ensemble = _Ensemble(
        tuple(tuple((tree, output) for tree in trees) for output in wanted),
        (0.0,) * len(wanted),
        float(len(trees)),
        bool(get_tags(members[0]).input_tags.allow_nan) and members[0].monotonic_cst is None,
        LARGEST,
    )
    if not classes:
        return _summed(ensemble, columns, ["prediction"]), ["prediction"]
    if len(classes) == 1:
        raise refused(f"{type(fitted).__name__} has learned one class only", "it decides nothing")
    return _by_shares(_summed, ensemble, columns, classes)


def _by_shares(
    summed: Any, ensemble: _Ensemble, columns: ModelInputs, classes: tuple[Any, ...]
) -> Outputs:
    labels = [literal(c) for c in classes]
    if len(classes) == 2:
        rows = summed(ensemble, columns, ["probability"]).layered()
        likely = column("probability") > double(0.5)
        label = exp.Case(
            ifs=[
                exp.If(this=likely, true=labels[1]),
                exp.If(this=is_known(column("probability")), true=labels[0]),
            ]
        )
        return rows.extend({"label": label}), ["probability", "label"]
    names = [f"probability_{i}" for i in range(len(classes))]
    rows = summed(ensemble, columns, names).layered()
    return rows.extend({"label": by_greatest(names, labels, names)}), [*names, "label"]


def _boosted(fitted: Any, columns: ModelInputs) -> Outputs:
    check_fitted(fitted, len(columns.values))
    if fitted.init_ != "zero" and type(fitted.init_).__module__.split(".")[:2] != [
        "sklearn",
        "dummy",
    ]:
        raise refused(
            f"{type(fitted).__name__} that starts from another model cannot be written as SQL",
            "leave `init` out, or write init='zero'",
        )
    start = fitted._raw_predict_init(np.zeros((1, fitted.n_features_in_), dtype=np.float32))[0]
    stages = [[read_tree(t, fitted.learning_rate) for t in stage] for stage in fitted.estimators_]
    ensemble = _Ensemble(
        tuple(tuple((stage[k], 0) for stage in stages) for k in range(len(start))),
        tuple(float(s) for s in start),
        1.0,
        takes_missing=False,
        largest=LARGEST,
    )
    if not hasattr(fitted, "classes_"):
        return _summed(ensemble, columns, ["prediction"]), ["prediction"]
    slope = -2.0 if fitted.loss == "exponential" else -1.0
    return _decided(ensemble, columns, tuple(fitted.classes_), slope, zero_is_above=True)


def _histogram_boosted(fitted: Any, columns: ModelInputs) -> Outputs:
    check_fitted(fitted, len(columns.values))
    known: list[tuple[float, ...]] = [()] * len(columns.values)
    if fitted._preprocessor is not None:
        categorical = [int(i) for i in np.flatnonzero(fitted.is_categorical_)]
        numeric = [i for i in range(len(columns.values)) if i not in categorical]
        encoder = fitted._preprocessor.named_transformers_["encoder"]
        codes = ordinal(encoder, columns.pick(categorical))
        numbers = tuple(as_number(columns.values[i]) for i in numeric)
        columns = ModelInputs(codes.rows, (*codes.values, *numbers))
        bits, _ = fitted._bin_mapper.make_known_categories_bitsets()
        for i in range(len(categorical)):
            known[i] = categories_of(bits[i])
    stages = [[read_histogram_tree(p, known) for p in stage] for stage in fitted._predictors]
    start = fitted._baseline_prediction.ravel()
    ensemble = _Ensemble(
        tuple(tuple((stage[k], 0) for stage in stages) for k in range(len(start))),
        tuple(float(s) for s in start),
        1.0,
        takes_missing=True,
        largest=LARGEST_DOUBLE,
    )
    if hasattr(fitted, "classes_"):
        return _decided(ensemble, columns, tuple(fitted.classes_), -1.0, zero_is_above=False)
    if fitted.loss not in ("poisson", "gamma"):
        return _summed(ensemble, columns, ["prediction"]), ["prediction"]
    [name] = new_names("sum", 1, [*columns.rows.columns, "prediction"])
    rows = _summed(ensemble, columns, [name]).layered()
    return rows.extend({"prediction": behind_logarithm(name)}), ["prediction"]


def _decided(
    ensemble: _Ensemble,
    columns: ModelInputs,
    classes: tuple[Any, ...],
    slope: float,
    zero_is_above: bool,
) -> Outputs:
    """Adds decision values, probabilities by sigmoid or softmax, and the label."""
    labels = [literal(c) for c in classes]
    if len(ensemble.outputs) == 1:
        rows = _summed(ensemble, columns, ["decision"]).layered()
        added = {
            "probability": sigmoid("decision", slope, 0.0),
            "label": by_sign("decision", labels[0], labels[1], zero_is_above),
        }
        return rows.extend(added), ["decision", *added]
    decisions = [f"decision_{i}" for i in range(len(classes))]
    rows = _summed(ensemble, columns, decisions).layered()
    parts = new_names("part", len(classes), rows.columns)
    rows = rows.extend(dict(zip(parts, softmax_parts(decisions), strict=True))).layered()
    probabilities = [f"probability_{i}" for i in range(len(classes))]
    added = dict(zip(probabilities, shares(parts), strict=True))
    added["label"] = by_greatest(decisions, labels, decisions)
    return rows.extend(added), [*decisions, *added]


def _summed(ensemble: _Ensemble, columns: ModelInputs, names: Sequence[str]) -> Block:
    """Adds the sums of an ensemble; NULL where scikit-learn would refuse a row."""
    trees = [tree for output in ensemble.outputs for tree, _ in output]
    leaves = sum(1 for tree in trees for node in tree if not isinstance(node, Split))
    if leaves > MOST_LEAVES:
        raise refused(
            f"the model has {leaves:,} leaves, more than {MOST_LEAVES:,}",
            "fit fewer or smaller trees, by n_estimators, max_depth or max_leaf_nodes",
        )
    used = sorted({n.position for tree in trees for n in tree if isinstance(n, Split)})
    inputs = columns.computed_once()
    trees_of = [number_tree(value) for value in inputs.values]
    added: dict[str, exp.Expression] = {}
    for name, output, start in zip(names, ensemble.outputs, ensemble.starts, strict=True):
        cases = [tree_case(tree, i, trees_of, ensemble.largest) for tree, i in output]
        total = balanced_sum([double(start), *cases] if start or not cases else cases)
        if ensemble.divisor != 1:
            total = divided(exp.Paren(this=total), double(ensemble.divisor))
        readable = [_readable(trees_of[i], ensemble) for i in used]
        if readable:
            total = when(is_known(exp.Paren(this=balanced_sum(readable))), total)
        added[name] = total
    return inputs.rows.extend(added)


def _readable(value: exp.Expression, ensemble: _Ensemble) -> exp.Expression:
    """Returns 0 where a column can be read, and NULL where scikit-learn would refuse it."""
    bounds = {"low": double(-ensemble.largest), "high": double(ensemble.largest)}
    within: exp.Expression = exp.Between(this=value.copy(), **bounds)
    if ensemble.takes_missing:
        within = exp.Or(this=within, expression=is_missing(value, numeric=True))
    return when(within, double(0))
