"""Progress in a real kernel: updated in place, at last a line; nowhere else anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import small_case
from support.notebook_cells import executed

from miningflow.notebook import listening
from miningflow.run.events import Event, silent

CELLS = (
    """
    import IPython.display, miningflow
    updates = []
    original = IPython.display.DisplayHandle.update
    def update(self, bundle, **options):
        updates.append(bundle)
        original(self, bundle, **options)
    IPython.display.DisplayHandle.update = update
    import miningflow.notebook
    miningflow.notebook.UPDATED_EVERY = 0.0  # each event is shown, however fast it is followed
    case = miningflow.load("case.yml")
    """,
    "report = case.run()",
    "assert len(updates) > 3 and any('<progress' in u['text/html'] for u in updates)",
    "heard = []\nagain = case.run(full=True, listener=heard.append)\nassert heard",
    "None if case.stats('C') else 0",
    "case.compare('chosen', ['score'], folds=2)",
    "verified = case.verify('duckdb://')",
    "moved = case.move('duckdb:///there.duckdb')",
    "case.run(select=['nosuch'])",
    "open('C.parquet', 'w').write('none'); case.run()",
    """
    from miningflow.notebook import listening
    from miningflow.run.events import Event
    with listening("waiting", None) as heard:
        heard(Event("started", "<b>slow</b>"))
        raise KeyboardInterrupt
    """,
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    folder = tmp_path_factory.mktemp("progress")
    small(folder)
    cells = [cell.replace("\n    ", "\n") for cell in CELLS]
    return executed(folder, *cells, allow_errors=True)


def small(folder: Path) -> None:
    """Writes a case of two steps."""
    types = {"id": "key", "a": "numeric", "b": "numeric", "y": "binary"}
    columns: dict[str, list[Any]] = {
        "id": [str(i) for i in range(60)],
        "a": [float(i % 2 + i % 3) for i in range(60)],
        "b": [None, *(float(i % 7) for i in range(1, 60))],
        "y": ["no", "yes"] * 30,
    }
    choice = {"target": "y", "positive": "yes", "attributes": ["a", "b"], "keep": 1}
    steps = {
        "filled": {"operator": "AssignAverageValue", "input": "C", "target": "b"},
        "chosen": {"operator": "FeatureSelectionByScore", "input": "filled", **choice},
    }
    small_case.load(folder, {"C": small_case.rows("id", types, columns)}, steps)


def plain(output: Any) -> str:
    return str(output["data"]["text/plain"])


def test_a_run_ends_with_one_line(outputs: list[list[Any]]) -> None:
    assert outputs[0] == []
    (shown,) = outputs[1]
    assert plain(shown).startswith("running small: 3 of 3 stages done, ")
    assert "<progress" not in shown["data"]["text/html"]
    assert outputs[2] == []


def test_a_listener_that_is_given_wins(outputs: list[list[Any]]) -> None:
    assert outputs[3] == []


@pytest.mark.parametrize(
    ("cell", "doing"),
    [(4, "statistics of small"), (5, "comparing at chosen"), (6, "verifying"), (7, "moving small")],
)
def test_what_takes_long_shows_progress(outputs: list[list[Any]], cell: int, doing: str) -> None:
    shown = outputs[cell][0]
    assert plain(shown).startswith(doing)
    assert "done, " in plain(shown)


def test_an_error_ends_the_display_and_is_its_message_alone(outputs: list[list[Any]]) -> None:
    shown, error = outputs[8]
    assert "failed" in plain(shown)
    assert error["output_type"] == "error"
    assert "nosuch" in error["evalue"]
    assert "Traceback" not in "".join(error["traceback"])
    shown, error = outputs[9]
    assert "failed" in plain(shown)
    assert "<progress" not in shown["data"]["text/html"]


def test_an_interrupt_ends_the_display(outputs: list[list[Any]]) -> None:
    shown, error = outputs[10]
    assert "interrupted" in plain(shown)
    assert "slow" not in shown["data"]["text/html"]
    assert error["ename"] == "KeyboardInterrupt"


def test_a_script_prints_nothing(tmp_path: Path) -> None:
    small(tmp_path)
    script = (
        "import sys, miningflow\n"
        "miningflow.load('case.yml').run()\n"
        "assert 'IPython' not in sys.modules\n"
        "import IPython\n"
        "miningflow.load('case.yml').run(full=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_listener_is_passed_on() -> None:
    heard: list[Event] = []
    with listening("x", heard.append) as listener:
        listener(Event("started", "a"))
    assert [event.stage for event in heard] == ["a"]
    with listening("x", None) as listener:
        assert listener is silent


class Display:
    """Stands for the display of a kernel, and keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, str]] = []

    def __call__(self, bundle: dict[str, str], **options: Any) -> Display:
        self.sent.append(bundle)
        return self

    update = __call__


def test_bars_are_escaped_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    display = Display()
    monkeypatch.setattr("miningflow.notebook._display", lambda: display)
    monkeypatch.setattr("miningflow.notebook.UPDATED_EVERY", 0.0)
    with listening("running <x>", None, total=20) as listener:
        for i in range(12):
            listener(Event("progress", f"<script>{i}", "m" * 10_000, done=0.25))
        busy = display.sent[-1]["text/html"]
        listener(Event("finished", "<script>0"))
        after = display.sent[-1]["text/html"]
    assert "<script>" not in busy
    assert "&lt;script&gt;0 25%" in busy
    assert "&lt;script&gt;0 25%" not in after
    assert busy.count("<progress") == 1 + 8
    assert "… 4 more" in busy
    assert len(busy) < 4_000
    assert "1 of 20 stages" in after
    assert display.sent[-1]["text/plain"].startswith("running <x>: 1 of 20 stages done, ")
    count = len(display.sent)
    listener(Event("progress", "late"))
    assert len(display.sent) == count
