"""Mutated cases through `check`: every one is answered, by messages with a place, within a limit.

All cases of `cases/`, the project that `init` makes, and the example of every operator.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from pathlib import Path

import yaml
from support.example_case import OPERATORS, example_of
from support.odd_case import CASE as ODD_CASE

import miningflow
from attacks.case_mutations import mutated
from attacks.commands import Ended, run_command
from attacks.tally import Tally
from attacks.time_limit import TooLong, limited

ROOT = Path(__file__).parents[2]
SECONDS = 30
"""A case is answered within this time, on a busy machine too; most need a twentieth of a second."""
PLACED = re.compile(r"^case\.yml:[1-9]\d*:[1-9]\d*: error: \S", re.MULTILINE)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def attack(count: int, seed: int) -> Tally:
    """Checks `count` mutated cases."""
    tally, rng = Tally(), random.Random(seed)
    texts = _texts()
    with tempfile.TemporaryDirectory(prefix="miningflow-attack-") as name:
        folder = Path(name)
        for number in range(count):
            text = mutated(texts, random.Random(rng.random()))
            content = text.encode("utf-8", "surrogatepass")  # a lone surrogate is no UTF-8
            (folder / "case.yml").write_bytes(content)
            with limited(SECONDS):
                ended = run_command(folder, "check", "case.yml")
            tally.add("checked cases")
            tally.add(f"exit code {ended.code}")
            wrong = _wrong(ended)
            if wrong:
                said = ended.bug or ended.err[:300]
                tally.breaks(wrong, f"case {number}: {said}: {_kept(content)}")
            if sorted(path.name for path in folder.iterdir()) != ["case.yml"]:
                tally.breaks("check wrote something", f"case {number}: {_kept(content)}")
                break
    return tally


def _texts() -> list[str]:
    found = [
        *sorted((ROOT / "cases").glob("*.yml")),
        Path(miningflow.__file__).parent / "cli" / "template" / "shop.yml",
        ODD_CASE,
    ]
    texts = [path.read_text(encoding="utf-8") for path in found]
    for operator in OPERATORS:
        example = example_of(operator)
        content = {
            "case": "example",
            "concepts": example.concepts,
            "relations": example.relations,
            "steps": example.steps,
        }
        plain = json.loads(json.dumps(content))
        texts.append(str(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)))
    return texts


def _wrong(ended: Ended) -> str:
    """Returns which promise an answer breaks, if one."""
    if ended.bug:
        return "too slow" if TooLong.__name__ in ended.bug else "traceback"
    if ended.code not in (0, 1, 2):
        return f"exit code {ended.code}"
    if ended.code and not PLACED.search(ended.err):
        return "a message without a place"
    if CONTROL.search(ended.out + ended.err):
        return "a control character in a message"
    return ""


def _kept(content: bytes) -> str:
    """Keeps a case that broke a promise, and returns its path."""
    with tempfile.NamedTemporaryFile(
        prefix="miningflow-attack-case-", suffix=".yml", delete=False
    ) as file:
        file.write(content)
    return file.name
