"""Training rows: what `learn` sees of the data, never the held-out part."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

import numpy as np
from sqlglot import exp

from miningflow.declare.concept import Concept
from miningflow.declare.rows import Columns
from miningflow.engines import Session
from miningflow.run.checkpoint import Checkpoint
from miningflow.run.computed import Computed
from miningflow.run.events import Event, Listener
from miningflow.run.query_cache import QueryCache
from miningflow.run.stored_statistics import NOT_STORED, StatisticsLookup
from miningflow.sql.block import Block, Naming, Source, grouped, over
from miningflow.sql.conditions import is_known
from miningflow.sql.dialect import render
from miningflow.sql.literals import column, double, text
from miningflow.sql.sampling import in_share, key_hash, rows_hash

Result = TypeVar("Result")
State = TypeVar("State")

# Seconds between checkpoints: a transaction takes as long as a pass over a small table.
SAVED_EVERY = 1.0


class Cancelled(Exception):
    """Another stage failed, or the user interrupted the run; learning stops."""


@dataclass
class Training:
    """The training rows of one step, read from its input in the store."""

    stage: str
    concept: Concept
    source: Source
    naming: Naming
    session: Session
    dialect: str
    listener: Listener
    cancelled: threading.Event
    cache: QueryCache = field(default_factory=QueryCache)
    notes: list[str] = field(default_factory=list)
    checkpoint: Checkpoint | None = None
    last_saved: float = field(default_factory=time.monotonic)
    segment: str = ""
    """The segment that these rows are; it stands before every message."""
    statistics: StatisticsLookup | None = None
    """Stored statistics of these rows, if there are any."""

    applied: Training | None = None
    """The rows that the result is applied to, if the step learns on others."""

    def aggregate(self, expressions: Mapping[str, exp.Expression]) -> dict[str, Any]:
        """Computes aggregates over all training rows, in the database or from stored statistics."""
        found = dict.fromkeys(expressions, NOT_STORED)
        if self.statistics is not None:
            found = {name: self.statistics.aggregate(tree) for name, tree in expressions.items()}
        asked = {n: tree for n, tree in expressions.items() if found[n] is NOT_STORED}
        if asked:
            block = grouped(self._learned(), (), asked)
            row = self._rows(block.prune(asked))[0]
            found.update(zip(asked, row, strict=True))
        return found

    def groups(
        self,
        by: Sequence[str],
        expressions: Mapping[str, exp.Expression],
        most: int,
        complete: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Computes aggregates per group in the database, ordered by the groups."""
        known = (
            self.statistics.groups(by, expressions, most)
            if self.statistics and not complete
            else None
        )
        if known is not None:
            return known
        rows = self._complete(complete) if complete else self._learned()
        block = grouped(rows, by, expressions)
        block = replace(block, order=block.group, limit=most)
        names = [*by, *expressions]
        return [dict(zip(names, row, strict=True)) for row in self._rows(block.prune(names))]

    def batches(self, features: Sequence[str]) -> Iterator[Columns]:
        """Streams complete rows; see `TrainingRows`."""
        block = self._complete(features).project(features)
        for batch in self.session.batches(self._sql(block.prune(features))):
            self._check()
            yield {name: _array(batch.column(name), self.concept, name) for name in features}

    def computed_once(
        self, what: str, features: Sequence[str], compute: Callable[[], Result]
    ) -> Result:
        """Computes a statistic of complete rows unless another step of this run has."""
        block = self._complete(features).project(features)
        key = f"{what}: {self._key(block.prune(features))}"
        found: Result = self.cache.get_or_compute(key, compute)
        return found

    def fetch(
        self,
        features: Sequence[str],
        complete: bool | Sequence[str] = True,
        most: int | None = None,
        seed: int = 0,
    ) -> Columns:
        """Fetches features as arrays; see `TrainingRows`."""
        known = features if complete is True else complete or ()
        block = self._complete(known) if known else self._learned()
        usable = self._count(block)
        limit = usable
        if most is not None and usable > most:
            limit = most
            self.note(f"learned from {most:,} of {usable:,} rows (sample_size)")
        block = block.first(limit, self._order(features, seed)).project(features)
        table = self.session.arrow(self._sql(block.prune(features)))
        return {name: _array(table.column(name), self.concept, name) for name in features}

    def computed(self, features: Sequence[str], compute: Callable[[Block], Block]) -> Computed:
        """Adds columns to complete rows; see `TrainingRows`."""
        return Computed(
            self.stage,
            compute(self._complete(features)),
            lambda seed: self._order(features, seed),
            self.naming,
            self.session,
            self.dialect,
            self._check,
        ).lent()

    def resume(self, kind: type[State]) -> State | None:
        """Returns the last checkpoint of an interrupted run of this very step."""
        return None if self.checkpoint is None else self.checkpoint.load(kind)

    def keep(self, state: Any) -> None:
        """Saves a checkpoint, unless the last one is recent."""
        now = time.monotonic()
        if self.checkpoint is not None and now - self.last_saved >= SAVED_EVERY:
            self.checkpoint.save(state)
            self.last_saved = now

    def filled(self, values: Mapping[str, float | str]) -> Self:
        """Reads the same rows through COALESCE; notes go to the same list."""
        known: dict[str, exp.Expression] = {}
        for name, value in values.items():
            literal = text(value) if isinstance(value, str) else double(value)
            known[name] = exp.Coalesce(this=column(name), expressions=[literal])
        return replace(self, source=over(self.source).extend(known), statistics=None)

    def only(self, condition: exp.Expression) -> Self:
        """Reads fewer rows; notes go to the same list."""
        return replace(self, source=over(self.source).filter(condition), statistics=None)

    def applied_to(self) -> Training | None:
        """Returns the rows of the input that are not held out, if the step learns on others."""
        return self.applied

    def progress(self, done: float, message: str) -> None:
        """Reports how far learning is."""
        self._check()
        self.listener(Event("progress", self.stage, self._in_segment(message), done))

    def note(self, message: str) -> None:
        """Records something about what was learned, and reports it."""
        self.notes.append(self._in_segment(message))
        self.listener(Event("note", self.stage, self._in_segment(message)))

    def _in_segment(self, message: str) -> str:
        return f"{self.segment}: {message}" if self.segment else message

    def _check(self) -> None:
        if self.cancelled.is_set():
            raise Cancelled

    def _complete(self, features: Sequence[str]) -> Block:
        """Returns the training rows without NULL in these features; notes how many have one."""
        block = self._learned()
        for name in features:
            block = block.filter(is_known(column(name)))
        total, usable = self._count(self._learned()), self._count(block)
        note = f"{total - usable:,} of {total:,} rows have a NULL and are not learned from"
        if usable < total and self._in_segment(note) not in self.notes:
            self.note(note)
        return block

    def _learned(self) -> Block:
        """Returns the rows that are not held out."""
        return learned_rows(self.source, self.concept)

    def _order(self, features: Sequence[str], seed: int) -> list[exp.Expression]:
        """Orders rows by hash, so that a sample is the same every time."""
        key = self.concept.key
        if key:
            return [key_hash(key, seed, self.concept.types[key]), column(key)]
        columns = self.concept.columns
        return [rows_hash({name: columns[name].type for name in features}, seed)]

    def _count(self, block: Block) -> int:
        counted = grouped(block, (), {"n": exp.Count(this=exp.Star())})
        return int(self._rows(counted.prune(["n"]))[0][0])

    def _rows(self, block: Block) -> list[tuple[Any, ...]]:
        """Fetches what was aggregated; the same query is sent once per run."""
        found: list[tuple[Any, ...]] = self.cache.get_or_compute(
            self._key(block), lambda: self.session.rows(self._sql(block))
        )
        return found

    def _key(self, block: Block) -> str:
        """Returns the query without the name of the step that sends it."""
        return render(block.select(self.naming, self.dialect), self.dialect)

    def _sql(self, block: Block) -> str:
        return render(
            block.select(self.naming, self.dialect), self.dialect, f"step '{self.stage}' learns"
        )


def learned_rows(source: Source, concept: Concept) -> Block:
    """Returns the rows of a concept that are not held out."""
    block = over(source)
    for reach in concept.holdouts:
        assert reach.holdout is not None
        held_out = in_share(reach.feature, reach.holdout.seed, reach.holdout.share)
        block = block.filter(exp.Not(this=held_out))
    return block


def _array(values: Any, concept: Concept, name: str) -> np.ndarray[Any, Any]:
    if concept.features[name].type == "numeric":
        array: np.ndarray[Any, Any] = values.to_numpy().astype(np.float64)
        return array
    return np.array(values.to_pylist(), dtype=object)
