"""Statistics of concepts, computed in the database and kept in the repository."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from miningflow.compile import Names, Piece, compile_bound, compile_source
from miningflow.compile.names import table
from miningflow.declare.concept import Concept
from miningflow.declare.concept_statistics import ConceptStatistics, FeatureStatistics, Part
from miningflow.engines import Session
from miningflow.plan import Plan, Stage
from miningflow.resolve import BoundCase
from miningflow.run.events import Event, Listener
from miningflow.run.training_rows import learned_rows
from miningflow.sql.block import Block, Scan, over
from miningflow.sql.dialect import render
from miningflow.sql.statistics_queries import as_numbers
from miningflow.store.opening import Store
from miningflow.store.source_checks import check_source
from miningflow.store.sources import SourceLocation
from miningflow.store.stored_builds import stored_builds
from miningflow.verbs.stats.feature_queries import FeatureQueries

MOST_EXACT = 5_000_000
"""From this many rows on, distinct values and quantiles are approximate: exact ones need memory."""
VALUES_AT_ONCE = 20_000_000
FEATURES_AT_ONCE = 100
_TEMPORARY = "rows for statistics"


@dataclass(frozen=True)
class Found:
    """The statistics of one concept, or why there are none."""

    concept: str
    statistics: Mapping[str, ConceptStatistics]
    """By part: all rows and, if rows are held out, those that are not."""
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
    """Returns the statistics of concepts: stored ones if they are of these very rows."""
    stored = store.repository.statistics(bound.name)
    builds = stored_builds(bound.name, store.repository)
    pieces = compile_bound(bound, builds).pieces
    shown = {(name, build.fingerprint) for name, build in builds.published.items()}
    found: list[Found] = []
    for name in names:
        stage = plan.stage(name)
        ready = stage.action == "reuse" and (name, stage.fingerprint) in shown
        known = known_statistics(stored, stage)
        piece = compile_source(bound.sources[name]) if stage.kind == "source" else pieces.get(name)
        if piece is None or (stage.kind == "step" and not ready):
            found.append(Found(name, {}, f"it has no up-to-date results: {stage.reason}"))
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
    """Computes the statistics of one concept in a separate session."""

    bound: BoundCase
    store: Store
    stage: Stage
    concept: Concept
    listener: Listener

    def compute(self, piece: Piece, location: SourceLocation | None) -> list[ConceptStatistics]:
        """Computes them for all rows and, where rows are held out, for those that are not.

        A source that is not loaded yet is read from its location.
        """
        with self.store.engine.session() as session:
            rows = self._rows(session, piece, location)
            parts: dict[Part, Block] = {"all": over(rows)}
            if self.concept.holdouts:
                parts["learned"] = learned_rows(rows, self.concept)
            queries = FeatureQueries(session, self._naming, self.store.engine.dialect)
            return [self._part(part, block, queries) for part, block in parts.items()]

    def _rows(self, session: Session, piece: Piece, location: SourceLocation | None) -> Scan:
        """Returns the rows to describe; what is not a table becomes one, so it is computed once."""
        features = tuple(self.concept.features)
        if location is None and self.stage.builds == "table":
            return Scan(self.stage.name, features)
        target = session.quoted(_TEMPORARY)
        if location is not None:
            raw = check_source(session, self.concept, location, True)
            if location.is_loaded:
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

    def _part(self, part: Part, rows: Block, queries: FeatureQueries) -> ConceptStatistics:
        kinds = {f.name: f.type for f in self.concept.features.values()}
        count = queries.count(rows)
        exact = count <= MOST_EXACT or not self.store.engine.approximates
        features: list[FeatureStatistics] = []
        for batch in _batches(kinds, count):
            numbers = as_numbers(rows.project(batch), batch)  # else each feature drags all along
            made = queries.summarised(numbers, batch, count, exact)
            features += queries.with_counts(numbers, made, count)
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
