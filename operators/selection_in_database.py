"""A search for features in which each subset is judged by all rows, inside the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlglot import exp

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.learn.selection.estimates import Estimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.search import Judge, Trace, Trial
from miningflow.learn.selection.search_course import Course
from miningflow.learn.selection.search_strategies import beam, floating, greedy
from miningflow.sql.literals import column, text

from .predictors import refuse_few_rows
from .svm_columns import Classes
from .svm_encoding import Complete, count_complete, encoding_in_database, other_class
from .svm_error import ErrorInDatabase
from .svm_linear import MOST_STREAMED


@dataclass(frozen=True)
class Question:
    """What to search for, and how."""

    attributes: tuple[Feature, ...]
    target: Feature
    positive: str
    C: float
    rho: float
    forward: bool
    strategy: str
    beam_width: int
    accept_equal: bool


@dataclass(frozen=True)
class Answer:
    """The trials of a search, the one that was chosen, and how many rows judged them."""

    trials: tuple[Trial, ...]
    chosen: Trial
    rows: int


def search_in_database(
    rows: TrainingRows, question: Question, tell: Callable[[Trial], None], least: int
) -> Answer | None:
    """Searches by the ξα-estimate of a linear machine, if there are more than `least` rows."""
    complete = count_complete(rows, question.attributes, question.target)
    if complete.count <= least:
        return None
    refuse_few_rows(complete.count)
    error = _error(rows, question, complete)
    trace = Trace(tell)
    # A search needs no more of columns than which groups there are, and of an estimate the error.
    columns = cast(ColumnGroups, _Groups(dict.fromkeys(range(len(question.attributes)))))
    course = Course(columns, question.forward, question.accept_equal, 1, None)
    judge = Judge(cast(Estimate, lambda subset: error(subset.subset)), trace)
    if question.strategy == "beam":
        chosen = beam(course, judge, question.beam_width)
    else:
        chosen = (floating if question.strategy == "floating" else greedy)(course, judge)
    return Answer(trace.trials, chosen, complete.count)


def _error(rows: TrainingRows, question: Question, complete: Complete) -> ErrorInDatabase:
    other_class(rows, complete, question.target, question.positive)
    found = encoding_in_database(rows, complete, question.attributes)
    if found.encoding.width > MOST_STREAMED:
        raise LearningError(
            f"the attributes are {found.encoding.width} encoded columns; a search inside the "
            f"database takes {MOST_STREAMED}",
            "give fewer attributes or categories, or search in memory with `use_db_svm: never`",
        )
    target = Classes(question.target.name, question.positive)
    equal = exp.EQ(this=column(target.name), expression=text(target.positive))
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
        question.C,
        question.rho,
    )


@dataclass(frozen=True)
class _Groups:
    """All attributes, as positions."""

    parts: dict[int, Any]

    def subset(self, groups: Iterable[int]) -> _Subset:
        """Gives some of them."""
        return _Subset(tuple(sorted(groups)))


@dataclass(frozen=True)
class _Subset:
    """Some attributes; what their rows are, the database knows."""

    subset: tuple[int, ...]

    def toggled(self, group: int) -> _Subset:
        """Gives the neighbour with an attribute added if it is out, removed if it is in."""
        return _Subset(tuple(sorted({*self.subset} ^ {group})))

    def without(self, groups: Sequence[int]) -> _Subset:
        """Gives the subset that is left without some attributes."""
        return _Subset(tuple(group for group in self.subset if group not in groups))
