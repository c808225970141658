"""What training reads from a row in the database: encoded columns, signs and offsets, as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from miningflow.learn.encoding import Encoding, NumericPredictor
from miningflow.sql.literals import column, double, text


@dataclass(frozen=True)
class Column:
    """An encoded column, (tree - shift) / scale."""

    tree: exp.Expression
    shift: float
    scale: float


def encoded_columns(encoding: Encoding) -> list[Column]:
    """Returns the encoded columns over the features."""
    found: list[Column] = []
    for predictor in encoding.predictors:
        feature = column(predictor.name)
        if isinstance(predictor, NumericPredictor):
            found.append(_column(feature, predictor.mean, predictor.scale))
            continue
        indicators = zip(predictor.indicated, predictor.means, predictor.scales, strict=True)
        for category, mean, scale in indicators:
            equal = feature.eq(text(category))
            found.append(_column(as_number(equal), mean, scale))
    return found


@dataclass(frozen=True)
class Side:
    """A slack o - y·f(x) of each row: its sign y and its offset o."""

    sign: exp.Expression
    offset: exp.Expression
    cost: exp.Expression | None = None
    """What it costs, in units of C; None: 1."""

    def priced(self, tree: exp.Expression) -> exp.Expression:
        """Multiplies an atom by the cost."""
        return tree.copy() if self.cost is None else product(self.cost, tree)


@dataclass(frozen=True)
class Costs:
    """What errors about rows cost, in units of C: a factor by class, times a feature."""

    positive: float = 1.0
    negative: float = 1.0
    feature: str = ""
    """The feature with a factor of each row; empty: 1."""

    def tree(self, is_positive: exp.Expression | None) -> exp.Expression:
        """Returns the cost of a row; the condition holds for the positive class."""
        by_class: exp.Expression = double(self.negative)
        if is_positive is not None and self.positive != self.negative:
            more = as_number(is_positive) * double(self.positive - self.negative)
            by_class = exp.Paren(this=exp.Add(this=by_class, expression=more))
        if not self.feature:
            return by_class
        return exp.Paren(this=product(by_class, column(self.feature)))


@dataclass(frozen=True)
class Classes:
    """A target with two classes: one side, with the offset 1."""

    name: str
    positive: str
    costs: Costs | None = None

    def __str__(self) -> str:
        return f"{self.name} = {self.positive}" + _shown(self.costs)

    @property
    def features(self) -> list[str]:
        """Names the features that are read of a row besides its predictors."""
        return _read(self.name, self.costs)

    def number(self) -> exp.Expression:
        """Returns y, which is 1 for the positive class and -1 for the other."""
        doubled = as_number(self._is_positive()) * double(2)
        return exp.Paren(this=exp.Sub(this=doubled, expression=double(1)))

    def cost(self) -> exp.Expression | None:
        """Returns what an error about a row costs, if that differs between rows."""
        return None if self.costs is None else self.costs.tree(self._is_positive())

    def sides(self) -> tuple[Side, ...]:
        """Returns the sign y with the offset 1."""
        return (Side(self.number(), double(1), self.cost()),)

    def _is_positive(self) -> exp.Expression:
        return column(self.name).eq(text(self.positive))


@dataclass(frozen=True)
class Numbers:
    """A number t to predict, seen as (t - centre) / scale; errors up to epsilon cost nothing."""

    name: str
    centre: float
    scale: float
    epsilon: float
    costs: Costs | None = None

    def __str__(self) -> str:  # without what the last digits of a sum may change
        return f"{self.name} within {self.epsilon}" + _shown(self.costs)

    @property
    def features(self) -> list[str]:
        """Names the features that are read of a row besides its predictors."""
        return _read(self.name, self.costs)

    def number(self) -> exp.Expression:
        """Returns t itself."""
        return column(self.name)

    def cost(self) -> exp.Expression | None:
        """Returns what an error about a row costs, if that differs between rows."""
        return None if self.costs is None else self.costs.tree(None)

    def sides(self) -> tuple[Side, ...]:
        """Returns two sides: numbers that are too great, and those that are too small."""
        return tuple(Side(double(sign), self._offset(sign), self.cost()) for sign in (1.0, -1.0))

    def _offset(self, sign: float) -> exp.Expression:
        """Returns (±(t - centre) - epsilon) / scale."""
        signed = column(self.name) * double(sign)
        above = exp.Sub(this=signed, expression=double(sign * self.centre + self.epsilon))
        return exp.Paren(this=above / double(self.scale))


Target = Classes | Numbers


def _read(name: str, costs: Costs | None) -> list[str]:
    return [name, costs.feature] if costs is not None and costs.feature else [name]


def _shown(costs: Costs | None) -> str:
    return "" if costs is None else f" with {costs}"


def within(slack: exp.Expression, width: float) -> exp.Expression:
    """Holds where |slack| is at most a width."""
    return exp.Abs(this=slack.copy()) <= double(width)


def greatest(tree: exp.Expression) -> exp.Expression:
    """Returns max(0, tree); 0 where it is NULL."""
    return exp.Greatest(this=double(0), expressions=[tree.copy()], ignore_nulls=True)


def as_number(condition: exp.Expression) -> exp.Expression:
    """Returns 1 where a condition holds and 0 where not."""
    return exp.Cast(this=condition, to=exp.DataType.build("double"))


def product(*factors: exp.Expression) -> exp.Expression:
    """Multiplies atoms."""
    tree = factors[0].copy()
    for factor in factors[1:]:
        tree = exp.Mul(this=tree, expression=factor.copy())
    return tree


def total(terms: Sequence[exp.Expression]) -> exp.Expression:
    """Sums a few terms over all rows."""
    tree = terms[0]
    for term in terms[1:]:
        tree = exp.Add(this=tree, expression=term)
    return exp.Sum(this=tree)


def _column(tree: exp.Expression, mean: float, scale: float) -> Column:
    """Takes the mean off in SQL only where sums would lose digits to it: it costs a third more."""
    if abs(mean) <= 10 * scale:
        return Column(tree, mean, scale)
    centred = exp.Paren(this=exp.Sub(this=tree, expression=double(mean)))
    return Column(centred, 0.0, scale)
