"""A search for features in which each subset is judged by all rows, inside the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, assert_never, cast

from sqlglot import exp

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.learn.selection.estimates import Estimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.search.course import Course
from miningflow.learn.selection.search.strategies import beam, floating, greedy
from miningflow.learn.selection.search.subsets import Judge, Trace, Trial
from miningflow.sql.literals import column, text
from miningflow.train.predictors import refuse_few_rows
from miningflow.train.svm.learned_encoding import (
    Complete,
    count_complete,
    learn_encoding_in_database,
    other_class,
)
from miningflow.train.svm.linear_training import MOST_STREAMED
from miningflow.train.svm.training_columns import Classes
from miningflow.train.svm.xi_alpha_error import ErrorInDatabase

Strategy = Literal["greedy", "floating", "beam"]


@dataclass(frozen=True)
class SearchSpec:
    """What to search for, and how."""

    attributes: tuple[Feature, ...]
    target: Feature
    positive: str
    C: float
    rho: float
    forward: bool
    strategy: Strategy
    beam_width: int
    accept_equal: bool


@dataclass(frozen=True)
class SearchResult:
    """The trials of a search, the one that was chosen, and how many rows judged them."""

    trials: tuple[Trial, ...]
    chosen: Trial
    rows: int


def search_subsets(
    rows: TrainingRows, spec: SearchSpec, tell: Callable[[Trial], None], least: int
) -> SearchResult | None:
    """Searches by the ξα-estimate of a linear machine, if there are more than `least` rows."""
    complete = count_complete(rows, spec.attributes, spec.target)
    if complete.count <= least:
        return None
    refuse_few_rows(complete.count)
    error = _error(rows, spec, complete)
    trace = Trace(tell)
    # A search needs no more of columns than which groups there are, and of an estimate the error.
    columns = cast(ColumnGroups, _Groups(dict.fromkeys(range(len(spec.attributes)))))
    course = Course(columns, spec.forward, spec.accept_equal, 1, None)
    judge = Judge(cast(Estimate, lambda subset: error(subset.subset)), trace)
    match spec.strategy:
        case "greedy":
            chosen = greedy(course, judge)
        case "floating":
            chosen = floating(course, judge)
        case "beam":
            chosen = beam(course, judge, spec.beam_width)
        case _:
            assert_never(spec.strategy)
    return SearchResult(trace.trials, chosen, complete.count)


def _error(rows: TrainingRows, spec: SearchSpec, complete: Complete) -> ErrorInDatabase:
    other_class(rows, complete, spec.target, spec.positive)
    found = learn_encoding_in_database(rows, complete, spec.attributes)
    if found.encoding.width > MOST_STREAMED:
        raise LearningError(
            f"the attributes are {found.encoding.width} encoded columns; a search inside the "
            f"database takes at most {MOST_STREAMED}",
            "give fewer attributes or categories, or search in memory with `use_db_svm: never`",
        )
    target = Classes(spec.target.name, spec.positive)
    equal = column(target.name).eq(text(target.positive))
    known = equal if complete.known is None else exp.And(this=equal, expression=complete.known)
    counted = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=known))
    positive = int(rows.aggregate({"positive": counted})["positive"])
    smaller = min(positive, complete.count - positive)
    return ErrorInDatabase(
        rows,
        found.encoding,
        found.constant,
        target,
        complete.count,
        smaller,
        spec.C,
        spec.rho,
    )


@dataclass(frozen=True)
class _Groups:
    """All attributes, as positions."""

    parts: dict[int, Any]

    def subset(self, groups: Iterable[int]) -> _Subset:
        """Returns some of them."""
        return _Subset(tuple(sorted(groups)))


@dataclass(frozen=True)
class _Subset:
    """Some attributes; what their rows are, the database knows."""

    subset: tuple[int, ...]

    def toggled(self, group: int) -> _Subset:
        """Returns the neighbour with an attribute added if it is out, removed if it is in."""
        return _Subset(tuple(sorted({*self.subset} ^ {group})))

    def without(self, groups: Sequence[int]) -> _Subset:
        """Returns the subset that is left without some attributes."""
        return _Subset(tuple(group for group in self.subset if group not in groups))
