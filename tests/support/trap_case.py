"""A case that walks into what engines do differently: order, rounding, division, times, texts."""

# ruff: noqa: E501 - a step a line reads better than a folded one

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

CASE = """\
case: traps
concepts:
  Thing:
    key: id
    features: {id: key, x: numeric, y: numeric, word: nominal, at: time, group: nominal, said: binary}
  Note:
    key: name
    features: {name: key, id: key, text: nominal, value: numeric, made: time}
relations:
  notes_of: {from: Note.id, to: Thing.id}
steps:
  divided: {operator: GenericFeatureConstruction, input: Thing, sql: "x / y", output: quotient}
  rest: {operator: GenericFeatureConstruction, input: divided, sql: "x % y", output: rest}
  rounded: {operator: GenericFeatureConstruction, input: rest, sql: "round(x)", output: whole}
  halves: {operator: GenericFeatureConstruction, input: rounded, sql: "round(y / 8, 2)", output: cents}
  floors: {operator: GenericFeatureConstruction, input: halves, sql: "floor(x) + 10 * ceil(x)", output: steps}
  logs: {operator: GenericFeatureConstruction, input: floors, sql: "ln(x) + sqrt(y) + power(x, 0.5)", output: logs}
  grown: {operator: GenericFeatureConstruction, input: logs, sql: "exp(x * 300) + exp(0 - x * 300)", output: grown}
  most: {operator: GenericFeatureConstruction, input: grown, sql: "greatest(x, y, 0) - least(x, y)", output: most}
  numbers: {operator: GenericFeatureConstruction, input: most, sql: "1 / 3 + 7 / 2 + abs(x - y)", output: thirds, materialize: view}
  upper: {operator: GenericFeatureConstruction, input: Thing, sql: "case when word in ('ß', 'İ') then word else upper(word) || '/' || lower(word) end", output: cases}
  lengths: {operator: GenericFeatureConstruction, input: upper, sql: "length(word) + 100 * length(trim(word))", output: letters}
  parts: {operator: GenericFeatureConstruction, input: lengths, sql: "substring(word, 2, 2)", output: middle}
  joined: {operator: GenericFeatureConstruction, input: parts, sql: "concat(word, '-', replace(word, 'a', '\\\\'))", output: glued}
  less: {operator: GenericFeatureConstruction, input: joined, sql: "case when word < 'b' then 'before' when word >= 'b' then 'after' end", output: side}
  texts: {operator: GenericFeatureConstruction, input: less, sql: "word like '%_' or word ilike 'A%'", output: alike, materialize: view}
  days: {operator: GenericFeatureConstruction, input: Thing, sql: "date_diff('month', at, timestamp '2024-03-31 00:00:00') + 1000 * weekday(at)", output: months}
  clocks: {operator: GenericFeatureConstruction, input: days, sql: "hour(at) * 10000 + minute(at) * 100 + second(at) + year(at) * 1000000", output: clock}
  times: {operator: GenericFeatureConstruction, input: clocks, sql: "days_between(at, timestamp '2024-02-29 12:00:00')", output: days, materialize: view}
  late: {operator: RowSelectionByQuery, input: Thing, where: "at > timestamp '1999-12-31 23:59:59.5' or at is null"}
  wordy: {operator: RowSelectionByQuery, input: Thing, where: "word > 'Z' and not (x = y)"}
  noted:
    operator: AggregateByRelation
    input: Thing
    relation: notes_of
    aggregates:
      first: min(text)
      last: max(text)
      kinds: count(distinct text)
      known: count(value)
      notes: count()
      mean: avg(value)
      spread: stddev(value)
      newest: max(made)
      share: "count() filter (where value > 1) / count()"
  usual: {operator: AssignModalValue, input: Thing, target: word, materialize: view}
  middle: {operator: AssignMedianValue, input: Thing, target: x, materialize: view}
  bins: {operator: EquifrequentDiscretizationGivenNoOfIntervals, input: middle, target: x, intervals: 3, output: bin, materialize: view}
  drawn: {operator: RowSelectionByRandomSampling, input: Note, how_many: 7, seed: 3}
  single: {operator: RemoveDuplicates, input: Thing, targets: [group]}
  counted: {operator: SpecifiedStatistics, input: Thing, sum: [x], count: [word], unique: [word], rows: n, group_by: [group]}
  moved:
    operator: SimpleMovingFunction
    input: Note
    value: value
    time: made
    size: 3
    output: smooth
    materialize: view
connect:
  store: duckdb://
  concepts:
    Thing: {file: thing.parquet}
    Note: {file: note.parquet}
"""
WORDS = ["a", "A", "ä", "Ä", "b", "B", "ß", "ss", "Z", "_", "é", "e\u0301", " a ", "", "日本語",
         "😀 x", "it's", 'say "hi"', "100%", "a_b", "\\", "İ", None, "a"]  # fmt: skip
XS = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.0, -0.0, 1e-17, 3.0, -3.0, 0.1, 1e15, -1e15, 2.675, None,
      7.0, -7.0, 1.005, 4.0, 1e-300, 1e300, 5.0, 5.0]  # fmt: skip
YS = [2.0, 0.0, -2.0, 3.0, None, 1.0, 0.0, 1.0, 1e-17, -3.0, -3.0, 0.3, 7.0, 3.0, 1.0, 2.0,
      2.0, -2.0, 0.005, 0.0, 1e-300, 1e300, 5.0, 5.5]  # fmt: skip
TIMES = [datetime(2024, 2, 29, 23, 59, 59, 999_999), datetime(1969, 12, 31, 23, 0),
         datetime(2024, 3, 31, 2, 30), datetime(1900, 1, 1), datetime(2000, 1, 1),
         datetime(1999, 12, 31, 23, 59, 59, 500_000), None, datetime(2026, 10, 25, 1, 30)]  # fmt: skip


def write(folder: Path) -> Path:
    """Writes the case and its rows; returns the case file."""
    count = len(WORDS)
    assert len(XS) == len(YS) == count
    things = pa.table(
        {
            "id": pa.array(range(1, count + 1), pa.int64()),
            "x": pa.array(XS, pa.float64()),
            "y": pa.array(YS, pa.float64()),
            "word": pa.array(WORDS, pa.string()),
            "at": pa.array([TIMES[i % len(TIMES)] for i in range(count)], pa.timestamp("us")),
            "group": pa.array([["g", "G", "ġ", None][i % 4] for i in range(count)], pa.string()),
            "said": pa.array([["yes", "no"][i % 2] for i in range(count)], pa.string()),
        }
    )
    notes = pa.table(
        {
            "name": pa.array([f"{word}{i}" for i, word in enumerate(WORDS)], pa.string()),
            "id": pa.array([i % 9 + 1 for i in range(count)], pa.int64()),
            "text": pa.array([*WORDS[5:], *WORDS[:5]], pa.string()),
            "value": pa.array([None if i % 5 == 4 else i / 3 for i in range(count)], pa.float64()),
            "made": pa.array(
                [datetime(2024, 1, i + 1, i % 24) for i in range(count)], pa.timestamp("us")
            ),
        }
    )
    pq.write_table(things, folder / "thing.parquet")
    pq.write_table(notes, folder / "note.parquet")
    path = folder / "traps.yml"
    path.write_text(CASE, encoding="utf-8")
    return path
