"""^C at any moment ends with one line and exit code 130; a bug with one message and a log file."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LoadCase, WriteCase
from support.command_line import started
from support.stores import query
from typer.testing import CliRunner

from miningflow.cli.commands import app
from miningflow.errors import RunError
from miningflow.run.undisturbed import undisturbed

STEPS = "filled: {operator: AssignAverageValue, input: Customer, target: income}\n"

# Code that runs before the command line, in place of all that loads a case.
BREAKS = (
    "import sys, types\ndef load(*_):\n    {}\n"
    "sys.modules['miningflow.project'] = types.SimpleNamespace(load=load)"
)
INTERRUPTS = "os.kill(os.getpid(), signal.SIGINT)"


def ended(folder: Path, code: str, *words: object) -> tuple[int, str, str]:
    process = started(folder, *words, code=f"import os\n{code}")
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize(
    "then", ["pass", "raise RuntimeError('Query interrupted')", "raise KeyError('a pool')"]
)
def test_whatever_follows_from_an_interrupt_is_one(tmp_path: Path, then: str) -> None:
    breaks = BREAKS.format(f"try: {INTERRUPTS}\n    finally: {then}")
    code, out, err = ended(tmp_path, breaks, "plan", "case.yml")
    assert (code, out) == (130, "")
    assert err.strip().splitlines() == ["interrupted; published results are unchanged"]


def test_an_interrupt_while_the_program_starts(tmp_path: Path) -> None:
    early = "import sys\nclass Early:\n    def find_spec(self, name, *_):\n        "
    early += f"if name == 'typer': {INTERRUPTS}\nsys.meta_path.insert(0, Early())"
    code, _, err = ended(tmp_path, early, "--help")
    assert code == 130
    assert err.strip() == "interrupted; published results are unchanged"


def test_a_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    stuck = f"try: {INTERRUPTS}\n    finally: {INTERRUPTS}"
    code, _, err = ended(tmp_path, BREAKS.format(stuck), "plan", "case.yml")
    assert code == 130
    assert err.strip() == "interrupted at once; published results are complete"


def test_an_interrupt_while_publishing_waits_for_the_results(write_case: WriteCase) -> None:
    exported = "out: {operator: PrepareForExport, input: filled, path: out.csv}\n"
    case = write_case(STEPS + exported)
    midst = (
        "from miningflow.run import runner\nbefore = runner.publish\n"
        f"def publish(*a):\n    before(*a)\n    {INTERRUPTS}\nrunner.publish = publish"
    )
    code, _, err = ended(case.parent, midst, "run", case)
    assert code == 130
    assert err.strip().splitlines()[-1] == "interrupted; the results of this run were published"
    assert query(case.parent / "store.duckdb", "SELECT status FROM miningflow.runs") == [("done",)]
    files = case.parent / "target" / "example" / "export"
    assert {p.name for p in files.iterdir()} == {"out.csv", "exports.json"}


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Lets ^C interrupt, also if the process that started the tests ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded_interrupts")
def test_a_kept_interrupt_comes_in_the_end() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        done.append("all of it")
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_failing_step_does_not_stop_what_comes_after_it(load_case: LoadCase) -> None:
    """The thread that interrupts the other steps has ended before the next statement."""
    case = load_case("""
    nobody: {operator: RowSelectionByQuery, input: Customer, where: age > 999}
    broken: {operator: AssignAverageValue, input: nobody, target: income}
    others: {operator: LinearScaling, input: Customer, target: age, materialize: table}
    """)
    for _ in range(3):
        with pytest.raises(RunError, match="'broken' cannot learn"):
            case.run()
        assert not [t for t in threading.enumerate() if t.name == "interrupt"]
        case.clean()


def test_a_bug_is_one_message_and_a_log(tmp_path: Path) -> None:
    broken = BREAKS.format("raise KeyError('of \\x1b[2J nothing')")
    code, out, err = ended(tmp_path, broken, "plan", "case.yml")
    assert (code, out) == (70, "")
    assert err.startswith("error: this is a bug in MiningFlow: KeyError: 'of \\x1b[2J nothing'")
    assert "Traceback" not in err
    log = Path(re.findall(r"details are in (\S+\.log)", err)[0])
    said = log.read_text()
    assert "Traceback" in said
    assert "raise KeyError" in said or "in load" in said
    assert log.stat().st_mode & 0o077 == 0
    log.unlink()


def test_a_bug_in_json_and_for_developers(tmp_path: Path) -> None:
    broken = BREAKS.format("raise KeyError('nothing')")
    code, out, err = ended(tmp_path, broken, "run", "case.yml", "--json")
    [said] = json.loads(out)["diagnostics"]
    assert (code, err) == (70, "")
    assert "this is a bug in MiningFlow: KeyError: 'nothing'" in said["message"]
    Path(re.findall(r"details are in (\S+\.log)", said["hint"])[0]).unlink()
    shown = subprocess.run(
        [sys.executable, "-c", f"{broken}\nfrom miningflow.cli.main import main\nmain()",
         "plan", "case.yml"],
        env={**os.environ, "MININGFLOW_TRACEBACK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert "Traceback" in shown.stderr
    assert shown.returncode == 1


def test_a_mistake_of_the_user_is_none(write_case: WriteCase) -> None:
    result = CliRunner().invoke(app, ["check", str(write_case(STEPS + "x: 1\n"))])
    assert result.exit_code == 1
    assert "bug" not in result.stderr
