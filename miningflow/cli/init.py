"""`miningflow init`."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.output import echo

SCHEMA_FILE = "miningflow.schema.json"


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to create.")],
) -> None:
    """Create a small project that runs at once.

    It has a case, its data, a connection and the schema of case files.
    """
    with failing():
        import json

        from miningflow.catalog import installed
        from miningflow.describe.schema import case_schema
        from miningflow.errors import Diagnostic, MiningFlowError

        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            hint = "name a new folder; nothing was written"
            raise MiningFlowError(Diagnostic(f"{folder} exists and is not empty", None, hint))
        _copy(files("miningflow.cli") / "template", folder)
        schema = json.dumps(case_schema(installed()), indent=1, ensure_ascii=False)
        (folder / SCHEMA_FILE).write_text(schema + "\n", encoding="utf-8")
        echo(
            f"made {folder}: shop.yml (the case), data/, connections/ and {SCHEMA_FILE}\n\n"
            f"  cd {folder}\n"
            "  miningflow run shop.yml      # builds everything\n"
            "  miningflow show shop.yml     # which features were deselected, and why\n"
            "  miningflow plan shop.yml     # what would run after a change"
        )


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        elif not entry.name.endswith((".py", ".pyc")):
            # the leading dot would keep the file out of a wheel
            name = ".gitignore" if entry.name == "gitignore" else entry.name
            (target / name).write_bytes(entry.read_bytes())
