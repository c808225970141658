"""A radial model as SQL: support vectors in a table, the kernel as a list expression over them."""

from __future__ import annotations

from sqlglot import exp

from miningflow.learn.encoding import Encoding
from miningflow.learn.svm import RadialModel
from miningflow.sql.block import Block, Join, Values
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.encoding import encoded, is_encodable

_MODEL, _ROWS, _ITEM, _TABLE = "model", "rows", "s", "support_vectors"


def radial_decision(model: RadialModel, encoding: Encoding, rows: Block, output: str) -> Block:
    """Adds Σ cᵢ·exp(−γ‖x−sᵢ‖²) + b to the columns of some rows.

    list_distance takes differences first, so it is exact where ‖x‖² − 2x·s + ‖s‖² cancels; written
    out in arithmetic over list items the same sum took 25 times as long.
    """
    if len(model.coefficients) == 0:  # nothing to tell rows apart by
        constant = exp.If(this=is_encodable(encoding), true=double(model.intercept))
        return rows.extend({output: exp.Case(ifs=[constant])})
    encoded_row = unused("encoded row", rows.columns)
    inner = rows.extend({encoded_row: _encoded_list(encoding)})
    distance = exp.Anonymous(
        this="LIST_DISTANCE", expressions=[column(encoded_row, _ROWS), _part("vector")]
    )
    squared = exp.Mul(this=distance, expression=distance.copy())
    kernel = exp.Exp(this=exp.Mul(this=double(-model.gamma), expression=exp.Paren(this=squared)))
    term = exp.Mul(this=_part("coefficient"), expression=kernel)
    summed = exp.Anonymous(
        this="LIST_SUM",
        expressions=[
            exp.Transform(
                this=column("vectors", _MODEL),
                expression=exp.Lambda(this=term, expressions=[exp.to_identifier(_ITEM)]),
            )
        ],
    )
    decided = exp.Add(this=summed, expression=double(model.intercept))
    decision = exp.Case(ifs=[exp.If(this=is_encodable(encoding, _ROWS), true=decided)])
    names = {name: column(name, _ROWS) for name in rows.columns}
    return Block(
        {**names, output: decision},
        {_ROWS: inner, _MODEL: _vectors(model)},
        (Join(_MODEL, "cross"),),
    )


def _encoded_list(encoding: Encoding) -> exp.Expression:
    """Gives a row as a list, with 0 for what is NULL.

    list_distance refuses NULL items, in DuckDB 2.0 even those of rows that a CASE around the list
    leaves out; so the CASE stands around the decision instead.
    """
    items = [exp.Coalesce(this=tree, expressions=[double(0)]) for tree in encoded(encoding)]
    return exp.Array(expressions=items)


def _vectors(model: RadialModel) -> Block:
    """Holds all support vectors as one list in one row, always in the same order."""
    width = model.support.shape[1]
    names = [f"x{i + 1}" for i in range(width)]
    rows = tuple(
        (float(i), float(c), *(float(x) for x in vector))
        for i, (c, vector) in enumerate(zip(model.coefficients, model.support, strict=True))
    )
    parts = {
        "coefficient": column("coefficient", _TABLE),
        "vector": exp.Array(expressions=[column(name, _TABLE) for name in names]),
    }
    entry = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name), expression=tree)
            for name, tree in parts.items()
        ]
    )
    ordered = exp.Order(this=entry, expressions=[exp.Ordered(this=column("position", _TABLE))])
    table = Values(_TABLE, ("position", "coefficient", *names), rows)
    return Block({"vectors": exp.ArrayAgg(this=ordered)}, {_TABLE: table})


def _part(name: str) -> exp.Expression:
    return exp.Dot(this=exp.to_identifier(_ITEM), expression=exp.to_identifier(name))
