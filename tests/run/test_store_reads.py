"""A run reads the state of its store once: these counts must not creep up again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import LoadCase
from support.stores import HELD_OUT, STEPS, TWO_FILES, ran

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.project import LoadedCase
from miningflow.repository.repository import Repository

READS = ("builds", "objects", "runs", "parity", "statistics_marks", "statistics")


@pytest.fixture
def case(load_case: LoadCase) -> LoadedCase:
    return load_case(STEPS, concepts=HELD_OUT, connect=TWO_FILES)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts what is read from the real repository, and from the catalog of the real database."""
    found: Counter[str] = Counter()

    def counted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            found[name] += 1
            return method(*given, **named)

        return call

    for name in READS:
        monkeypatch.setattr(Repository, name, counted(name, getattr(Repository, name)))
    for name in ("objects", "functions"):
        method = counted(f"{name} there", getattr(DuckDBEngine, name))
        monkeypatch.setattr(DuckDBEngine, name, method)
    return found


def test_a_first_run(case: LoadedCase, reads: Counter[str]) -> None:
    assert ran(case.run())
    assert reads == {
        "builds": 1,
        "objects": 1,
        "runs": 1,
        "objects there": 3,  # two schemas, and the public one again before publishing
        "functions there": 1,
        "statistics_marks": 1,
        "parity": 1,
    }


def test_a_run_after_a_change(case: LoadedCase, reads: Counter[str]) -> None:
    case.run()
    first = dict(reads)
    reads.clear()
    assert ran(case.run(from_step="judged")) == ["judged"]
    assert reads == first


def test_a_rerun_with_nothing_to_do(case: LoadedCase, reads: Counter[str]) -> None:
    case.run()
    reads.clear()
    statements: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        statements.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        assert not ran(case.run())
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
    assert reads == {"builds": 1, "objects": 1, "runs": 1, "objects there": 2, "parity": 1}
    assert not [s for s in statements if not s.lstrip().upper().startswith("SELECT")]
    artifacts = [s for s in statements if 'FROM "miningflow"."artifacts"' in s]
    assert len(artifacts) == 4  # one for each step that learns
