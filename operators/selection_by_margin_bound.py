"""The operator that selects features by a bound on the error of a support vector machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import numpy as np

from miningflow.declare import Selection, TrainingRows, choice, integer, number, operator
from miningflow.declare.selection import Trial
from miningflow.learn.kernels import SCIKIT_LEARN_NAMES
from miningflow.learn.selection.contestant import Contestant
from miningflow.learn.selection.rankings import rank_by_margin_bound

from .selection_ranked import RankedSelection


@operator
class FeatureSelectionByMarginBound(RankedSelection):
    """Removes features so that a bound on the leave-one-out error of a machine stays low.

    The bound is R²W² (`radius_margin`: the squared radius of the rows divided by the squared
    margin) or the `span` estimate. Its gradient removes a fifth of the features at a time, and the
    last twelve are removed one by one, by the exact bound (J. Weston et al., 2000). The operator is
    meant for few rows with many features: at most `sample_size` rows are drawn. Attributes are
    standardised. There must be two classes.
    """

    alias: ClassVar[str] = "SelectMarginBound"
    finds: ClassVar[tuple[str, ...]] = ("radius margin", "span bound", "elimination")
    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionByMarginBound
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """
    contestant: ClassVar[Contestant | None] = Contestant(
        "margin_bound", rank_by_margin_bound, effort=4, two_classes=True, most_rows=300
    )

    bound: str = choice("the bound to keep low", ["radius_margin", "span"], default="radius_margin")
    kernel: str = choice(
        "the kernel of the machine",
        ["linear", "polynomial", "radial"],
        default="linear",
        synonyms=SCIKIT_LEARN_NAMES,
    )
    degree: int = integer("the degree of a polynomial kernel", default=2, minimum=1, maximum=10)
    ridge: float = number(
        "what to add to the diagonal of the kernel, relative to its mean", default=0.1, minimum=1e-9
    )
    sample_size: int = integer("how many rows to learn from, at most", default=300, minimum=10)
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    def limits(self) -> Mapping[str, Any]:
        """Returns the parameters that limit how many features are kept."""
        return {"keep": self.keep}

    def select(self, rows: TrainingRows) -> Selection:
        """Removes features until `keep` are left."""
        from miningflow.learn.selection import MarginBoundSelector

        names = self.names()
        columns = rows.fetch([*names, self.target.name], True, self.sample_size, self.seed)
        labels = columns[self.target.name].astype(str)
        classes = sorted(set(labels))
        self.check_classes(classes)
        self.check_two_classes(classes)
        matrix = np.column_stack([columns[name] for name in names])

        def report(trial: Any) -> None:
            done = 1 - len(trial.columns) / max(1, len(names))
            rows.progress(done, f"{len(trial.columns)} features, bound {trial.bound:.4g}")

        selector = MarginBoundSelector(
            self.number_to_keep(),
            bound=cast(Any, self.bound),
            kernel=cast(Any, self.kernel),
            degree=self.degree,
            ridge=self.ridge,
            callback=report,
        ).fit(matrix, labels)
        kept = tuple(n for n, stays in zip(names, selector.get_support(), strict=True) if stays)
        dropped = tuple(n for n in names if n not in kept)
        trace = tuple(
            Trial(
                trial.level,
                tuple(names[i] for i in trial.columns),
                ", ".join(names[i] for i in trial.removed),
                float(trial.bound),
                bool(trial.accepted),
            )
            for trial in selector.trace_
        )
        size = f"{len(kept)} of {len(names)} features"
        reason = f"{self.bound} bound {selector.bound_:.4g} with {size}"
        last = {names[i]: float(t.bound) for t in selector.trace_ for i in t.removed}
        return Selection(kept, dropped, reason, last, trace, "bound")
