"""A machine over columns: decision values, then what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from sqlglot import exp

from miningflow.learn.machines import Greatest, Machine, Pairs, Prediction, Sign
from miningflow.sql.block import Block
from miningflow.sql.literals import column
from miningflow.sql.models.classes import (
    by_greatest,
    by_sign,
    one_vs_rest_of_pairs,
    votes_of_pairs,
)
from miningflow.sql.models.finite import finite
from miningflow.sql.models.machine_shapes import with_decisions
from miningflow.sql.models.model_inputs import ModelInputs, new_names
from miningflow.sql.models.values import literal


def output_names(machine: Machine) -> list[str]:
    """Returns the names of the columns that a machine adds."""
    match machine.result:
        case Prediction():
            return ["prediction"]
        case Sign():
            return ["decision", "label"]
        case Greatest(classes):
            count = len(classes)
        case Pairs(classes, one_vs_rest):
            count = len(classes) if one_vs_rest else len(machine.model.intercepts)
        case _:
            assert_never(machine.result)
    return [*(f"decision_{i}" for i in range(count)), "label"]


def decided(machine: Machine, columns: ModelInputs, outputs: Sequence[str]) -> Block:
    """Adds the outputs of a machine to the rows, under the given names."""
    taken = [*columns.rows.columns, *outputs]
    scores = new_names("score", len(machine.model.intercepts), taken)
    rows = with_decisions(machine.model, columns, scores)
    match machine.result:
        case Prediction():
            return rows.extend({outputs[0]: finite(column(scores[0]))})
        case Sign(below, above, zero_is_above):
            label = by_sign(scores[0], literal(below), literal(above), zero_is_above)
            return rows.extend({outputs[0]: finite(column(scores[0])), outputs[1]: label})
        case Greatest(classes):
            decisions = outputs[:-1]
            rows = rows.extend(_named(decisions, [finite(column(s)) for s in scores])).layered()
            labels = [literal(c) for c in classes]
            return rows.extend({outputs[-1]: by_greatest(decisions, labels, decisions)})
        case Pairs():
            return _voted(machine.result, rows, scores, outputs)
        case _:
            assert_never(machine.result)


def _voted(result: Pairs, rows: Block, scores: Sequence[str], outputs: Sequence[str]) -> Block:
    classes, decisions, label = len(result.classes), outputs[:-1], outputs[-1]
    labels = [literal(c) for c in result.classes]
    rows = rows.extend({s: finite(column(s)) for s in scores}).layered()
    taken = [*rows.columns, *outputs]
    votes, shown = new_names("votes", classes, taken), new_names("shown_votes", classes, taken)
    counted = _named(votes, votes_of_pairs(scores, classes, zero_is_first=False))
    if result.one_vs_rest:
        counted |= _named(shown, votes_of_pairs(scores, classes, zero_is_first=True))
    rows = rows.extend(counted).layered()
    if result.one_vs_rest:
        rows = rows.extend(_named(decisions, one_vs_rest_of_pairs(scores, shown)))
    else:
        rows = rows.extend(_named(decisions, [column(s) for s in scores]))
    if result.break_ties:
        return rows.layered().extend({label: by_greatest(decisions, labels, decisions)})
    return rows.layered().extend({label: by_greatest(votes, labels, scores)})


def _named(names: Sequence[str], trees: Sequence[exp.Expression]) -> dict[str, exp.Expression]:
    return dict(zip(names, trees, strict=True))
