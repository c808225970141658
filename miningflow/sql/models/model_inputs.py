"""The columns that reach a transformer: values over rows, some of them named in a SELECT below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from miningflow.sql.block import Block
from miningflow.sql.literals import column, unused
from miningflow.sql.models.values import (
    Coded,
    Number,
    Raw,
    Value,
    named,
    number_tree,
    plain,
)

_CHEAP = (exp.Column, exp.Cast)


@dataclass(frozen=True)
class ModelInputs:
    """Values over the columns of a block."""

    rows: Block
    values: tuple[Value, ...]

    def pick(self, positions: Iterable[int]) -> ModelInputs:
        """Keeps some values, in the given order."""
        return replace(self, values=tuple(self.values[i] for i in positions))

    def with_values(self, values: Iterable[Value]) -> ModelInputs:
        """Takes other values over the same rows."""
        return replace(self, values=tuple(values))

    def reading(self, feature: str, tree: exp.Expression) -> ModelInputs:
        """Reads an expression, computed once, in place of a column of the rows."""
        name = unused(feature, self.rows.columns)

        def other(node: exp.Expression) -> exp.Expression:
            return column(name) if isinstance(node, exp.Column) and node.name == feature else node

        values: list[Value] = []
        for value in self.values:
            if isinstance(value, Coded):
                values.append(replace(value, source=value.source.transform(other)))
            elif isinstance(value, Raw):
                values.append(replace(value, tree=value.tree.transform(other)))
            else:
                atom = None if value.atom is None else value.atom.transform(other)
                values.append(replace(value, atom=atom))
        return ModelInputs(self.rows.extend({name: tree}), tuple(values))

    def read_once(self) -> ModelInputs:
        """Names what takes more than reading a column in a SELECT below; categories stay."""
        names = new_names("x", len(self.values), self.rows.columns)
        trees: dict[str, exp.Expression] = {}
        values: list[Value] = []
        for name, value in zip(names, self.values, strict=True):
            costly = isinstance(value, Number) and not isinstance(value.atom, _CHEAP)
            if isinstance(value, Number) and value.atom is not None and costly:
                trees[name] = value.atom
                values.append(replace(value, atom=column(name)))
            else:
                values.append(value)
        return ModelInputs(self.rows.extend(trees).layered(), tuple(values)) if trees else self

    def computed_once(self) -> ModelInputs:
        """Names each value in a separate SELECT, unless all are plain columns."""
        if all(plain(value) for value in self.values):
            return self
        names = new_names("x", len(self.values), self.rows.columns)
        trees: dict[str, exp.Expression] = {
            name: number_tree(value) for name, value in zip(names, self.values, strict=True)
        }
        rows = self.rows.extend(trees).layered()
        return ModelInputs(rows, tuple(named(name) for name in names))


def new_names(stem: str, count: int, taken: Iterable[str]) -> list[str]:
    """Returns names such as x1, x2 that are not taken."""
    names: Sequence[str] = list(taken)
    return [unused(f"{stem}{i + 1}", names) for i in range(count)]
