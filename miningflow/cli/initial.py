"""`miningflow init`: a small project that runs at once."""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from miningflow.catalog import installed
from miningflow.describe.schema import case_schema
from miningflow.errors import MiningFlowError, Mistake

SCHEMA_FILE = "miningflow.schema.json"


def make_project(folder: Path) -> list[str]:
    """Makes the folder and gives the lines that say what to do next."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise MiningFlowError(
            Mistake(
                f"{folder} exists and is not empty", None, "name a new folder; nothing was written"
            )
        )
    _copy(files("miningflow.cli") / "template", folder)
    schema = json.dumps(case_schema(installed()), indent=1, ensure_ascii=False)
    (folder / SCHEMA_FILE).write_text(schema + "\n", encoding="utf-8")
    return [
        f"made {folder}: shop.yml (the case), data/, connections/ and {SCHEMA_FILE}",
        "",
        f"  cd {folder}",
        "  miningflow run shop.yml      # builds everything",
        "  miningflow show shop.yml     # which features were deselected, and why",
        "  miningflow plan shop.yml     # what would run after a change",
    ]


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        elif not entry.name.endswith((".py", ".pyc")):
            # the leading dot would keep the file out of a wheel
            name = ".gitignore" if entry.name == "gitignore" else entry.name
            (target / name).write_bytes(entry.read_bytes())
