"""A radial model as SQL: support vectors in a table, the kernel as a list expression over them."""

from __future__ import annotations

from sqlglot import exp

from miningflow.learn.encoding import Encoding
from miningflow.learn.svm import RadialModel
from miningflow.sql.block import Block, Join, Values
from miningflow.sql.literals import column, double
from miningflow.sql.models.encoding import encoded
from miningflow.sql.models.linear import balanced_sum

_MODEL, _ROWS, _VECTOR, _TABLE = "model", "rows", "v", "support_vectors"


def radial_decision(model: RadialModel, encoding: Encoding, rows: Block, output: str) -> Block:
    """Adds Σ cᵢ·exp(−γ‖x−sᵢ‖²) + b to the columns of some rows.

    The squares are taken directly, not expanded: that is exact where the expanded form cancels.
    """
    inner = rows.extend({_encoded(i): tree for i, tree in enumerate(encoded(encoding))})
    squares = [_square(i) for i in range(encoding.width)]
    exponent = exp.Mul(
        this=double(-model.gamma), expression=exp.Paren(this=balanced_sum(squares))
    )
    # exp() of less underflows to an error in PostgreSQL
    kernel = exp.Case(
        ifs=[exp.If(this=exp.LT(this=exponent.copy(), expression=double(-600)), true=double(0))],
        default=exp.Exp(this=exponent),
    )
    term = exp.Mul(this=_item(0), expression=kernel)
    summed = exp.Anonymous(
        this="LIST_SUM",
        expressions=[
            exp.Transform(
                this=column("vectors", _MODEL),
                expression=exp.Lambda(this=term, expressions=[exp.to_identifier(_VECTOR)]),
            )
        ],
    )
    decision = exp.Add(this=summed, expression=double(model.intercept))
    names = {name: column(name, _ROWS) for name in rows.columns}
    return Block(
        {**names, output: decision},
        {_ROWS: inner, _MODEL: _vectors(model)},
        (Join(_MODEL, "cross"),),
    )


def _vectors(model: RadialModel) -> Block:
    """Holds all support vectors as one list in one row, always in the same order."""
    width = model.support.shape[1]
    columns = ("position", "coefficient", *(f"x{i + 1}" for i in range(width)))
    rows = tuple(
        (float(i), float(c), *(float(x) for x in vector))
        for i, (c, vector) in enumerate(zip(model.coefficients, model.support, strict=True))
    )
    vector = exp.Array(expressions=[column(name, _TABLE) for name in columns[1:]])
    ordered = exp.Order(this=vector, expressions=[exp.Ordered(this=column("position", _TABLE))])
    return Block({"vectors": exp.ArrayAgg(this=ordered)}, {_TABLE: Values(_TABLE, columns, rows)})


def _square(i: int) -> exp.Expression:
    difference = exp.Paren(this=exp.Sub(this=column(_encoded(i), _ROWS), expression=_item(i + 1)))
    return exp.Mul(this=difference, expression=difference.copy())


def _item(i: int) -> exp.Expression:
    return exp.Bracket(this=exp.to_identifier(_VECTOR), expressions=[exp.Literal.number(i)])


def _encoded(i: int) -> str:
    return f"encoded {i + 1}"
