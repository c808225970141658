"""The queries behind the statistics of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from miningflow.declare.concept_statistics import BINS, QUANTILES, TOP, FeatureStatistics
from miningflow.engines import Session
from miningflow.sql.block import Append, Block, Naming, grouped, over
from miningflow.sql.dialect import render
from miningflow.sql.statistics_queries import DEVIATION_UPTO, binned, frequent, summary

FEW_VALUES = 20
"""Numbers with at most this many distinct values are also counted by value."""


@dataclass
class FeatureQueries:
    """Computes statistics of features in the database."""

    session: Session
    naming: Naming
    dialect: str

    def count(self, rows: Block) -> int:
        """Counts the rows."""
        return int(self._query(grouped(rows, (), {"n": exp.Count(this=exp.Star())}))[0][0])

    def summarised(
        self, rows: Block, kinds: Mapping[str, str], count: int, exact: bool
    ) -> list[FeatureStatistics]:
        """Computes everything that needs no groups in one scan."""
        wanted = summary(kinds, QUANTILES, exact)
        row = dict(zip(wanted, self._query(grouped(rows, (), wanted))[0], strict=True))
        made = []
        for i, (name, kind) in enumerate(kinds.items()):
            known = int(row[f"known {i}"])
            finite = row.get(f"finite {i}") or 0
            low, high = row.get(f"min {i}"), row.get(f"max {i}")
            huge = any(end is not None and abs(end) > DEVIATION_UPTO for end in (low, high))
            made.append(
                FeatureStatistics(
                    feature=name,
                    type=kind,
                    known=known,
                    missing=count - known,
                    distinct=int(row[f"distinct {i}"]),
                    not_finite=known - finite if kind == "numeric" else 0,
                    minimum=low,
                    maximum=high,
                    mean=row.get(f"mean {i}"),
                    deviation=None if huge else row.get(f"deviation {i}"),
                    quantiles=tuple(float(q) for q in row.get(f"quantiles {i}") or ()),
                )
            )
        return made

    def with_counts(
        self, rows: Block, made: list[FeatureStatistics], count: int
    ) -> list[FeatureStatistics]:
        """Adds frequent values and histograms, all in one query."""
        blocks: list[Block] = []
        for i, f in enumerate(made):
            if _has_frequent(f, count):
                blocks.append(frequent(rows, f.feature, TOP, i))
            if _has_bins(f):
                assert f.minimum is not None and f.maximum is not None
                at = len(made) + i
                blocks.append(binned(rows, f.feature, f.minimum, f.maximum, BINS, at))
        lines: dict[int, list[tuple[str, int]]] = {}
        if blocks:
            for index, value, n in self._query(over(Append(tuple(blocks)))):
                lines.setdefault(int(index), []).append((value, int(n)))
        for i, f in enumerate(made):
            if f.type == "numeric":  # engines write numbers in different ways
                lines[i] = [(str(float(value)), n) for value, n in lines.get(i, [])]
        done = []
        for i, f in enumerate(made):
            top = sorted(lines.get(i, []), key=lambda line: (-line[1], line[0]))
            bins = [0] * (BINS if len(made) + i in lines else 0)
            for value, n in lines.get(len(made) + i, []):
                bins[int(float(value))] = n
            done.append(replace(f, top=tuple(top), histogram=tuple(bins)))
        return done

    def _query(self, block: Block) -> list[tuple[Any, ...]]:
        select = block.prune(block.columns).select(self.naming, self.dialect)
        return self.session.rows(render(select, self.dialect, "statistics"))


def _has_frequent(f: FeatureStatistics, rows: int) -> bool:
    """Leaves out times, numbers with many values, and keys that identify a row."""
    if f.type in ("numeric", "time"):
        return f.type == "numeric" and 0 < f.distinct <= FEW_VALUES
    return f.distinct > 0 and (f.type != "key" or f.distinct < rows - f.missing)


def _has_bins(f: FeatureStatistics) -> bool:
    return f.minimum is not None and f.maximum is not None and f.minimum < f.maximum
