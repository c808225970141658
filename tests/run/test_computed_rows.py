"""Training rows with numbers computed in the database."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import numpy as np
import pytest
from sqlglot import exp

from miningflow.declare import Concept, Feature, Holdout, Reach
from miningflow.engines import Session, open_engine
from miningflow.run.training_rows import Cancelled, Training
from miningflow.sql.block import Block, Join, Scan, Values
from miningflow.sql.literals import column, double

TYPES = {"id": "key", "x": "numeric", "word": "nominal", "other": "numeric"}


@pytest.fixture
def session(tmp_path: Any) -> Any:
    engine = open_engine("duckdb:///store.duckdb", tmp_path)
    with engine.session() as opened:
        opened.execute(
            """CREATE TABLE "T" AS SELECT i AS id, CASE WHEN i % 10 = 0 THEN NULL ELSE i % 7 END
            ::DOUBLE AS x, CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END AS word,
            NULL::DOUBLE AS other FROM range(100) AS r(i)"""
        )
        yield opened
    engine.close()


def _training(session: Session, key: str | None = "id", holdout: Holdout | None = None) -> Training:
    features: dict[str, Any] = {n: Feature(n, t) for n, t in TYPES.items()}  # type: ignore[arg-type]  # the types above are literals
    reaches = (Reach("T", "id", holdout),) if holdout else ()
    concept = Concept("T", features, key, reaches)
    source = Scan("T", tuple(features))
    cancelled = threading.Event()
    return Training(
        "step", concept, source, exp.to_table, session, "duckdb", lambda event: None, cancelled
    )


def _squared(rows: Block) -> Block:
    return rows.extend({"square": exp.Mul(this=column("x"), expression=column("x"))})


def test_only_complete_rows_that_are_not_held_out_are_seen(session: Session) -> None:
    training = _training(session)
    computed = training.computed(["x", "word"], _squared)
    found = computed.aggregate(
        {"n": exp.Count(this=exp.Star()), "s": exp.Sum(this=column("square"))}
    )
    right = [(i % 7) ** 2 for i in range(100) if i % 10]
    assert found == {"n": 90, "s": sum(right)}
    assert training.notes == ["10 of 100 rows have a NULL and are not learned from"]
    training.computed(["x", "word"], _squared)
    assert len(training.notes) == 1
    held = _training(session, holdout=Holdout(0.5, 3)).computed(["x"], _squared)
    assert 0 < held.aggregate({"n": exp.Count(this=exp.Star())})["n"] < 70


def test_rows_stream_where_a_condition_holds(session: Session) -> None:
    computed = _training(session).computed(["x"], _squared)
    above = exp.GT(this=column("square"), expression=double(20))
    parts = list(computed.batches(["x", "square"], above))
    x = np.concatenate([part["x"] for part in parts])
    assert sorted(set(x)) == [5.0, 6.0]
    assert np.array_equal(np.concatenate([part["square"] for part in parts]), x**2)


def test_the_greatest_come_first_and_equal_ones_by_the_hash_of_their_key(session: Session) -> None:
    computed = _training(session).computed(["x", "word"], _squared)
    found, identities = computed.first(["x"], 30, by="square")
    hashed = {i: hashlib.md5(f"{i}:0".encode()).hexdigest() for i in range(100) if i % 10}
    right = sorted(hashed, key=lambda i: (-(i % 7), hashed[i]))[:30]
    assert identities == [hashed[i] for i in right]
    assert found["x"].tolist() == [float(i % 7) for i in right]
    drawn = computed.first(["x"], 5)[1]
    assert drawn == sorted(hashed.values())[:5]
    assert drawn != computed.first(["x"], 5, seed=1)[1]


def test_without_a_key_rows_alike_share_what_identifies_them(session: Session) -> None:
    computed = _training(session, key=None).computed(["x", "word"], _squared)
    found, identities = computed.first(["square"], 90, by="square")
    assert len(set(identities)) == 14
    assert found["square"].tolist() == sorted(found["square"], reverse=True)


def test_tables_of_numbers_are_lent_to_the_session(session: Session) -> None:
    table = Values("factors", ("factor",), ((10.0,), (100.0,)))
    summed = Block({"factor": exp.Sum(this=column("factor", "factors"))}, {"factors": table})

    def multiplied(rows: Block) -> Block:
        columns = {name: column(name, "rows") for name in rows.columns}
        product = exp.Mul(this=column("x", "rows"), expression=column("factor", "model"))
        inputs = {"rows": rows, "model": summed}
        return Block({**columns, "product": product}, inputs, (Join("model", "cross"),))

    computed = _training(session).computed(["x"], multiplied)
    found, _ = computed.first(["x", "product"], 3, by="product")
    assert found["product"].tolist() == [660.0] * 3


def test_nobody_waits_any_more(session: Session) -> None:
    training = _training(session)
    computed = training.computed(["x"], _squared)
    training.cancelled.set()
    with pytest.raises(Cancelled):
        list(computed.batches(["x"]))


def test_without_a_run_nothing_is_kept(session: Session) -> None:
    training = _training(session)
    training.keep(Holdout(0.5, 3))
    assert training.resume(Holdout) is None
