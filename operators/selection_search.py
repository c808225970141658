"""Shared by selections that search for the features with the least error of a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from miningflow.declare import (
    Selection,
    TrainingRows,
    choice,
    integer,
    literal,
    number,
    operator,
)
from miningflow.declare.selection import Trial
from miningflow.train.classes import positive_rows
from miningflow.train.predictors import fetch_predictors

from .selection_learned import ClassSelection

MEASURES = {
    "xi_alpha": "ξα error",
    "span": "span error",
    "cross_validation": "cross-validated error",
    "nested_cross_validation": "cross-validated error",
}


@operator
class SubsetSearch(ClassSelection):
    """Shared by searches: one machine for each subset, and an estimate of its error.

    Attributes are standardised; nominal ones become indicators that are kept or dropped together.
    """

    positive: str = literal("the value of the target that is the positive class")
    kernel: str = choice(
        "the kernel of the machine",
        ["linear", "radial"],
        default="linear",
        synonyms={"rbf": "radial"},
    )
    C: float = number("the cost of training errors", default=1.0, minimum=1e-9)
    gamma: float | None = number(
        "the width of the radial kernel; by default 1 / number of columns",
        default=None,
        minimum=1e-12,
    )
    epsilon: float = number("the tolerance of the solver", default=1e-3, minimum=1e-9)
    estimate: str | None = choice(
        "the estimate of the error; by default ξα, or cross-validation of the whole search if a "
        "guided search chooses the number of features",
        ["xi_alpha", "span", "cross_validation"],
        default=None,
    )
    rho: float = number(
        "the factor ρ of the ξα-estimate: MiningMart uses 1; with 2 it is an upper bound",
        default=2.0,
        minimum=1e-9,
    )
    screen: int | None = integer(
        "how many attributes to search, those with the best alignment; by default all",
        default=None,
        minimum=1,
    )
    sample_size: int = integer("how many rows to learn from, at most", default=500, minimum=10)
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    def selector(self, machine: Mapping[str, Any]) -> Any:
        """Returns the estimator that searches with the given machine."""
        raise NotImplementedError

    def search_name(self) -> str:
        """Returns the name of the search."""
        raise NotImplementedError

    def machine_weights(self, rows: TrainingRows, labels: npt.NDArray[Any]) -> Mapping[str, Any]:
        """Returns weights of classes as a parameter of the estimator, if it has one."""
        return {}

    def done(self, trial: Any, tried: int) -> float:
        """Returns the share of the search that is done; a greedy one tries n(n + 1)/2 subsets."""
        return tried * 2 / (len(self.attributes) * (len(self.attributes) + 1))

    def feature_scores(self, trace: tuple[Trial, ...]) -> dict[str, float]:
        """Scores attributes by the error of the first subset that they left or joined."""
        first: dict[str, float] = {}
        for trial in trace[1:]:
            for name in set(trace[0].kept) ^ set(trial.kept):
                first.setdefault(name, trial.value)
        return first

    def select(self, rows: TrainingRows) -> Selection:
        """Runs the search."""
        names = self.names()
        data = fetch_predictors(rows, self.attributes, self.target, self.sample_size, self.seed)
        values = data.columns[self.target.name]
        labels = positive_rows(values, self.target, self.positive)
        machine = {
            "kernel": self.kernel,
            "C": self.C,
            "gamma": self.gamma,
            "tolerance": self.epsilon,
            "estimate": self.estimate,
            "rho": self.rho,
            "screen": None if self.screen is None else min(self.screen, len(names)),
            "groups": np.asarray(data.encoding.groups),
            "callback": self.reporter(rows),
            **self.machine_weights(rows, values),
        }
        selector = self.selector(machine).fit(data.matrix, labels)
        kept = tuple(names[g] for g in np.flatnonzero(selector.group_support_))
        measure = MEASURES[selector.estimate_]
        judged_on = f"{len(labels)} rows"
        return self.selection(
            rows, self.search_name(), selector.trace_, kept, selector.error_, measure, judged_on
        )

    def selection(
        self,
        rows: TrainingRows,
        search_name: str,
        trials: Sequence[Any],
        kept: tuple[str, ...],
        error: float,
        measure: str,
        judged_on: str,
    ) -> Selection:
        """Returns the result of a search, and notes it."""
        names = self.names()
        dropped = tuple(n for n in names if n not in kept)
        trace = tuple(_trial(t, names) for t in trials)
        reason = (
            f"{search_name} search: {measure} {trace[0].value:.3f} with {len(trace[0].kept)} → "
            f"{error:.3f} with {len(kept)} features"
        )
        rows.note(f"{reason}; {len(trace)} subsets tried on {judged_on}")
        return Selection(kept, dropped, reason, self.feature_scores(trace), trace, measure)

    def reporter(self, rows: TrainingRows) -> Callable[[Any], None]:
        """Returns a function that reports the progress after each subset."""
        tried, least = 0, float("inf")

        def report(trial: Any) -> None:
            nonlocal tried, least
            tried, least = tried + 1, min(least, trial.error)
            size = len(trial.subset)
            rows.progress(
                min(1.0, self.done(trial, tried)),
                f"{tried} subsets tried, {size} features, lowest error so far {least:.3f}",
            )

        return report


@operator
class StepwiseSearch(SubsetSearch):
    """Shared by searches that change one attribute at a time."""

    def search(self) -> Mapping[str, Any]:
        """Returns how to search, as parameters of the estimator."""
        raise NotImplementedError

    def selector(self, machine: Mapping[str, Any]) -> Any:
        """Returns the estimator that searches step by step."""
        from miningflow.learn.selection import XiAlphaSelector

        return XiAlphaSelector(**machine, **self.search())

    def search_name(self) -> str:
        """Returns the name of the search."""
        return f"{self.search()['direction']} {self.search()['search']}".removesuffix(" greedy")

    def done(self, trial: Any, tried: int) -> float:
        """Returns the share of the search that is done; a guided one tries each size once."""
        if self.search()["search"] == "guided":
            return tried / len(self.attributes)
        return super().done(trial, tried)


def _trial(trial: Any, names: list[str]) -> Trial:
    return Trial(
        trial.level,
        tuple(names[g] for g in trial.subset),
        "" if trial.changed is None else names[trial.changed],
        float(trial.error),
        bool(trial.accepted),
    )
