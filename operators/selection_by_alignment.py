"""The operator that selects features by kernel-target alignment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from miningflow.declare import (
    Selection,
    TrainingRows,
    boolean,
    choice,
    integer,
    number,
    operator,
)
from miningflow.declare.selection import Trial
from miningflow.learn.selection.alignment.path import AlignmentPath, align
from miningflow.learn.selection.alignment.quadratic import QuadraticAlignment, QuadraticProblem
from miningflow.learn.selection.alignment.targets import ideal_targets
from miningflow.learn.selection.class_sums import ClassSums
from miningflow.learn.selection.contestant import Contestant
from miningflow.learn.selection.progress import Progress
from miningflow.learn.selection.rankings import rank_by_alignment
from miningflow.learn.selection.standard_columns import standardized

from .selection_ranked import RankedSelection


@operator
class FeatureSelectionByAlignment(RankedSelection):
    """Selects features by the alignment of their kernel with the class label.

    The alignment is the cosine between the kernel matrix of the selected features and that of the
    labels. `one_shot` ranks features by their individual alignment, `incremental` adds the feature
    that increases the alignment most, and `decremental` removes features whose removal does not
    lower it. Attributes are standardised.

    The `linear` kernel needs only sums of products, which are streamed from all rows; no row is
    kept in memory. The `quadratic` kernel (1 + ⟨x, z⟩)² also finds features that are informative
    only in pairs, if the search is `decremental`. It compares rows with rows, so at most
    `sample_size` rows are drawn (N. Català and M. Martin).
    """

    alias: ClassVar[str] = "SelectAlignment"
    finds: ClassVar[tuple[str, ...]] = ("kernel target alignment",)
    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionByAlignment
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      method: incremental
      keep: 2
    """
    contestant: ClassVar[Contestant | None] = Contestant(
        "alignment", rank_by_alignment, effort=2, settings=(("method", "incremental"),)
    )

    method: str = choice(
        "how to search", ["incremental", "decremental", "one_shot"], default="incremental"
    )
    explained: float | None = number(
        "the share of the highest alignment to reach, with the fewest features",
        default=None,
        minimum=1e-9,
        maximum=1,
    )
    balanced: bool = boolean(
        "whether all classes count equally, regardless of their size", default=False
    )
    kernel: str = choice("the kernel to align", ["linear", "quadratic"], default="linear")
    sample_size: int = integer(
        "how many rows the quadratic kernel compares, at most", default=1000, minimum=10
    )
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    def limits(self) -> Mapping[str, Any]:
        """Returns the parameters that limit how many features are kept."""
        return {"keep": self.keep, "explained": self.explained}

    def select(self, rows: TrainingRows) -> Selection:
        """Searches with the chosen kernel."""
        path = self._linear(rows) if self.kernel == "linear" else self._quadratic(rows)
        return self._selection(path)

    def _linear(self, rows: TrainingRows) -> AlignmentPath:
        """Streams the sums of products, then searches."""
        from miningflow.learn.selection.alignment.from_sums import align_from_statistics

        read = [*self.names(), self.target.name]
        sums = rows.computed_once("class sums", read, lambda: self._sums(rows, read))
        self.check_classes(sums.classes)
        moments, norm = sums.moments(self.positive, self.balanced)
        return align_from_statistics(
            sums.gram(),
            moments,
            norm,
            method=cast(Any, self.method),
            keep=self.number_to_keep(),
            explained=self.explained,
        )

    def _sums(self, rows: TrainingRows, read: Sequence[str]) -> ClassSums:
        *names, target = read
        sums = ClassSums(len(names))
        for batch in rows.batches(read):
            sums.add(np.column_stack([batch[name] for name in names]), batch[target])
            rows.progress(0.0, f"{sums.rows:,.0f} rows read")
        return sums

    def _quadratic(self, rows: TrainingRows) -> AlignmentPath:
        """Compares the rows of a sample with each other."""
        from miningflow.learn.threads import single_blas_thread

        names = self.names()
        columns = rows.fetch([*names, self.target.name], True, self.sample_size, self.seed)
        classes, codes = np.unique(columns[self.target.name].astype(str), return_inverse=True)
        self.check_classes(classes.tolist())
        matrix = standardized(np.column_stack([columns[name] for name in names]))
        targets = ideal_targets(codes, self.balanced)

        def report(step: Any) -> None:
            rows.progress(0.0, f"step {step.step}, alignment {step.alignment:.4f}")

        with single_blas_thread():
            return align(
                partial(QuadraticAlignment, QuadraticProblem.of(matrix, targets)),
                len(names),
                cast(Any, self.method),
                self.number_to_keep(),
                self.explained,
                True,
                Progress(report),
            )

    def _selection(self, path: AlignmentPath) -> Selection:
        names = self.names()
        kept = tuple(n for n, chosen in zip(names, path.support, strict=True) if chosen)
        dropped = tuple(n for n in names if n not in kept)
        trace = tuple(
            Trial(
                step.step,
                tuple(names[i] for i in inside),
                ", ".join(names[i] for i in step.changed),
                float(step.alignment),
                at < path.taken,
            )
            for at, (step, inside) in enumerate(zip(path.steps, self._sets(path), strict=True))
        )
        last = trace[max(0, path.taken - 1)].value if trace else 0.0
        reason = (
            f"{self.method} search: alignment {last:.4f} with {len(kept)} of {len(names)} features"
        )
        scores = dict(zip(names, (float(s) for s in path.scores), strict=True))
        return Selection(kept, dropped, reason, scores, trace, "alignment")

    def _sets(self, path: AlignmentPath) -> Iterator[list[int]]:
        """Returns the set of attributes after each change: it grows from none or shrinks."""
        inside: set[int] = set(range(len(path.support)) if self.method == "decremental" else ())
        for step in path.steps:
            inside ^= {int(i) for i in step.changed}
            yield sorted(inside)
