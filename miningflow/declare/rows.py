"""What `learn` sees of the data: training rows, through a narrow interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.sql.block import Block

Columns = dict[str, npt.NDArray[Any]]
Result = TypeVar("Result")
State = TypeVar("State")


class LearningError(Exception):
    """Nothing can be learned from the training rows; says why and what to do.

    It is shown at the step, or at one of its parameters if that is to blame.
    """

    def __init__(self, message: str, hint: str = "", parameter: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.parameter = parameter


class ComputedRows(Protocol):
    """Complete training rows with numbers that the database computes for each."""

    def aggregate(self, expressions: Mapping[str, exp.Expression]) -> dict[str, Any]:
        """Computes aggregates over the rows."""
        ...

    def batches(
        self, columns: Sequence[str], where: exp.Expression | None = None
    ) -> Iterator[Columns]:
        """Streams numeric columns, of the rows for which a condition holds."""
        ...

    def first(
        self,
        columns: Sequence[str],
        most: int,
        by: str | None = None,
        seed: int = 0,
    ) -> tuple[Columns, list[str]]:
        """Fetches numeric columns of some rows, and what identifies each row.

        These are the rows with the greatest `by`, the greatest first; without `by` rows are drawn.
        Order among equals is by hash of the key, which is also what identifies a row; where there
        is no key, it is a hash of the features that were asked to be complete, and rows that are
        alike share it.
        """
        ...


class TrainingRows(Protocol):
    """The rows a step may learn from: never the held-out ones."""

    segment: str
    """The segment that the rows are in; empty outside of segmentations."""

    def aggregate(self, expressions: Mapping[str, exp.Expression]) -> dict[str, Any]:
        """Computes aggregates over all training rows in the database."""
        ...

    def groups(
        self,
        by: Sequence[str],
        expressions: Mapping[str, exp.Expression],
        most: int,
        complete: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Computes aggregates per group in the database, ordered by the groups.

        Rows in which a feature of `complete` is NULL are left out (and reported).
        """
        ...

    def batches(self, features: Sequence[str]) -> Iterator[Columns]:
        """Streams the rows in which all these features are known, some thousand at a time."""
        ...

    def computed_once(
        self, what: str, features: Sequence[str], compute: Callable[[], Result]
    ) -> Result:
        """Computes a statistic of the complete rows, unless another step of this run has.

        `what` names it; the features are all that it depends on.
        """
        ...

    def fetch(
        self,
        features: Sequence[str],
        complete: bool | Sequence[str] = True,
        most: int | None = None,
        seed: int = 0,
    ) -> Columns:
        """Fetches features as arrays, float64 for numerics and objects for the others.

        With `complete`, rows with a NULL, or a NULL in one of the given features, are left out (and
        reported). With `most`, that many rows
        are drawn by hash of the key, the same ones every time. Rows come in a repeatable order.
        """
        ...

    def computed(self, features: Sequence[str], compute: Callable[[Block], Block]) -> ComputedRows:
        """Returns the rows in which all these features are known, with columns added to them."""
        ...

    def resume(self, kind: type[State]) -> State | None:
        """Returns what an interrupted run of this step kept last, if it is of this type."""
        ...

    def keep(self, state: Any) -> None:
        """Keeps a dataclass of numbers, texts and arrays, in case the run is interrupted.

        Of what is kept within a second, the first counts.
        """
        ...

    def filled(self, values: Mapping[str, float | str]) -> Self:
        """Returns the same rows, in which these features have a value instead of NULL."""
        ...

    def only(self, condition: exp.Expression) -> Self:
        """Returns the rows for which a condition holds; they are applied to the same rows."""
        ...

    def applied_to(self) -> TrainingRows | None:
        """Returns the rows of the input that are not held out, if the step learns on others."""
        ...

    def progress(self, done: float, message: str) -> None:
        """Reports how far learning is; `done` is between 0 and 1."""
        ...

    def note(self, message: str) -> None:
        """Reports something about what was learned."""
        ...


def finite(columns: Mapping[str, npt.NDArray[Any]], names: Sequence[str]) -> None:
    """Refuses NaN and infinity in numeric columns, naming the feature."""
    for name in names:
        bad = int(np.count_nonzero(~np.isfinite(columns[name])))
        if bad:
            raise not_finite(name, bad)


def not_finite(name: str, bad: int) -> LearningError:
    """Returns the error for a feature with `bad` values that are NaN or infinite."""
    values = "1 value that is" if bad == 1 else f"{bad} values that are"
    return LearningError(
        f"feature {name!r} has {values} NaN or infinite",
        "drop those rows with RowSelectionByQuery, or make them NULL in the source: "
        "NULL means missing, NaN and infinity do not",
    )


def learned_number(value: Any, feature: str) -> float:
    """Takes a number that was learned; refuses one that came from no values, NaN or infinity."""
    if value is None:
        raise LearningError(
            f"feature {feature!r} has no known value in the training rows",
            "is it NULL everywhere? leave it out, or fill it from elsewhere first",
        )
    if not np.isfinite(value):
        raise LearningError(
            f"feature {feature!r} has values that are NaN or infinite",
            "drop those rows with RowSelectionByQuery, or make them NULL in the source",
        )
    return float(value)
