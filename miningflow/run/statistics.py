"""Statistics of concepts, computed in the database and kept in the repository."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from miningflow.compile import Names, Piece, compile_source
from miningflow.compile.names import table
from miningflow.declare.concept import Concept
from miningflow.declare.statistics import (
    BINS,
    QUANTILES,
    TOP,
    ConceptStatistics,
    FeatureStatistics,
    Part,
)
from miningflow.engines import Session
from miningflow.plan import Plan, Stage
from miningflow.resolve import BoundCase
from miningflow.run.checking import check_source
from miningflow.run.events import Event, Listener
from miningflow.run.frozen import frozen_pieces
from miningflow.run.sources import SourceLocation
from miningflow.run.store import Store
from miningflow.run.training import learned_rows
from miningflow.sql.block import Append, Block, Naming, Scan, grouped, over
from miningflow.sql.dialect import render
from miningflow.sql.statistics import DEVIATION_UPTO, as_numbers, binned, frequent, summary

MOST_EXACT = 5_000_000
"""From this many rows on, distinct values and quantiles are approximate: exact ones need memory."""
VALUES_AT_ONCE = 20_000_000
FEATURES_AT_ONCE = 100
FEW_VALUES = 20
"""Numbers with at most so many different values are counted by value, too."""
_TEMPORARY = "rows for statistics"


@dataclass(frozen=True)
class Found:
    """The statistics of one concept, or why there are none."""

    concept: str
    statistics: Mapping[str, ConceptStatistics]
    """By part: all rows, and those that are learned from if rows are held out."""
    missing: str = ""


def concept_statistics(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    locations: Mapping[str, SourceLocation],
    names: Sequence[str],
    listener: Listener,
    anew: bool = False,
) -> list[Found]:
    """Gives the statistics of concepts: stored ones if they are of these very rows."""
    stored = store.repository.statistics(bound.name)
    pieces = frozen_pieces(bound, store.repository).pieces
    builds = store.repository.builds(bound.name)
    shown = {(r.step, r.fingerprint) for r in builds if r.status == "published"}
    found: list[Found] = []
    for name in names:
        stage = plan.stage(name)
        ready = stage.action == "reuse" and (name, stage.fingerprint) in shown
        known = known_statistics(stored, stage)
        piece = compile_source(bound.sources[name]) if stage.kind == "source" else pieces.get(name)
        if piece is None or (stage.kind == "step" and not ready):
            found.append(Found(name, {}, f"it has no results that are up to date: {stage.reason}"))
            continue
        concept = piece.presence.concept
        if not known or anew or (concept.holdouts and "learned" not in known):
            listener(Event("started", name, "statistics"))
            start = time.perf_counter()
            computer = _Computer(bound, store, stage, concept, listener)
            made = computer.compute(piece, None if ready else locations[name])
            store.repository.save_statistics(bound.name, stage.fingerprint, made)
            known = {s.part: s for s in made}
            seconds = time.perf_counter() - start
            listener(Event("finished", name, rows=known["all"].rows, seconds=seconds))
        found.append(Found(name, known))
    return found


def known_statistics(
    stored: Mapping[tuple[str, str, str], ConceptStatistics], stage: Stage
) -> dict[str, ConceptStatistics]:
    """Finds the stored statistics that belong to the result of a stage, by part."""
    return {
        part: statistics
        for (name, fingerprint, part), statistics in stored.items()
        if (name, fingerprint) == (stage.name, stage.fingerprint)
    }


@dataclass
class _Computer:
    """Computes the statistics of one concept in a session of its own."""

    bound: BoundCase
    store: Store
    stage: Stage
    concept: Concept
    listener: Listener

    def compute(self, piece: Piece, location: SourceLocation | None) -> list[ConceptStatistics]:
        """Computes them for all rows and, where rows are held out, for the others.

        A source that is not loaded yet is read from its location.
        """
        with self.store.engine.session() as session:
            rows = self._rows(session, piece, location)
            parts: dict[Part, Block] = {"all": over(rows)}
            if self.concept.holdouts:
                parts["learned"] = learned_rows(rows, self.concept)
            asked = _Asked(session, self._naming, self.store.engine.dialect)
            return [self._part(part, block, asked) for part, block in parts.items()]

    def _rows(self, session: Session, piece: Piece, location: SourceLocation | None) -> Scan:
        """Gives the rows to look at; what is no table becomes one, so that it is computed once."""
        features = tuple(self.concept.features)
        if location is None and self.stage.builds == "table":
            return Scan(self.stage.name, features)
        target = session.quoted(_TEMPORARY)
        if location is not None:
            raw = check_source(session, self.concept, location, True)
            if location.paths:
                session.load("temp table", target, raw.query)
                return Scan(_TEMPORARY, features)
            query = raw.query
        else:
            block = piece.block if piece.inline else over(Scan(piece.name, features))
            select = block.select(Names(self.bound.name).public, self.store.engine.dialect)
            query = render(select, self.store.engine.dialect)
        session.keep(target, query)
        return Scan(_TEMPORARY, features)

    def _naming(self, name: str) -> exp.Table:
        return table(name) if name == _TEMPORARY else Names(self.bound.name).public(name)

    def _part(self, part: Part, rows: Block, asked: _Asked) -> ConceptStatistics:
        kinds = {f.name: f.type for f in self.concept.features.values()}
        count = asked.count(rows)
        exact = count <= MOST_EXACT or not self.store.engine.approximates
        features: list[FeatureStatistics] = []
        for batch in _batches(kinds, count):
            numbers = as_numbers(rows.project(batch), batch)  # else each feature drags all along
            made = asked.summarised(numbers, batch, count, exact)
            features += asked.with_counts(numbers, made, count)
            done = len(features) / len(kinds)
            said = f"statistics of {len(features):,} of {len(kinds):,} features"
            self.listener(Event("progress", self.stage.name, said, done))
        return ConceptStatistics(self.stage.name, part, count, exact, tuple(features))


def _batches(kinds: Mapping[str, str], rows: int) -> Iterator[dict[str, str]]:
    """Cuts wide tables into parts, so that quantiles of all features need not be in memory."""
    size = max(1, min(FEATURES_AT_ONCE, VALUES_AT_ONCE // max(1, rows)))
    names = list(kinds)
    for start in range(0, len(names), size):
        yield {name: kinds[name] for name in names[start : start + size]}


@dataclass
class _Asked:
    """Asks the database."""

    session: Session
    naming: Naming
    dialect: str

    def count(self, rows: Block) -> int:
        """Counts the rows."""
        return int(self._query(grouped(rows, (), {"n": exp.Count(this=exp.Star())}))[0][0])

    def summarised(
        self, rows: Block, kinds: Mapping[str, str], count: int, exact: bool
    ) -> list[FeatureStatistics]:
        """Computes all that needs no groups, in one scan."""
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
