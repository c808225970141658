"""Reads the `columns` of a source: the column of each feature, and what its values are read as."""

from __future__ import annotations

from miningflow.engines.key_types import KEY_TYPES
from miningflow.errors import suggestion
from miningflow.nodes import Fields, Scalar
from miningflow.read.shape import Shape


def read_columns(source: Fields, shape: Shape) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
    """Returns the column of each feature that names one, and the `as` of those that have it."""
    columns: dict[str, Scalar] = {}
    read_as: dict[str, Scalar] = {}
    for feature, node in shape.fields(source.get("columns"), "'columns'") or ():
        what = f"the column of {feature.text!r}"
        column: Scalar | None
        if isinstance(node, Fields):
            shape.known(node, ("column", "as"), what)
            column = shape.scalar(node.get("column"), f"'column' of {feature.text!r}")
            wanted = shape.scalar(node.get("as"), f"'as' of {feature.text!r}")
            if wanted is not None and wanted.text not in KEY_TYPES:
                hint = suggestion(wanted.text, KEY_TYPES, "values")
                shape.error(f"{what} cannot be read as {wanted.text!r}", wanted.place, hint)
            elif wanted is not None:
                read_as[feature.text] = wanted
            # a mistake in the name of the feature is reported here
            columns[feature.text] = column or feature
        else:
            column = shape.scalar(node, what)
            if column is not None:
                columns[feature.text] = column
    return columns, read_as
