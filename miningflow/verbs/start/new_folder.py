"""Writes a new case into a folder: all of it or nothing, and over nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import mkdtemp

from miningflow import pipeline
from miningflow.catalog import installed
from miningflow.describe.schema import case_schema
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.verbs.start.places import Places, copy_files

SCHEMA_FILE = "miningflow.schema.json"
_IGNORED = "*.duckdb\n*.duckdb.wal\ntarget/\n"


def refuse_existing(folder: Path) -> None:
    """Refuses a folder that has anything in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        hint = "name a new folder; nothing was written"
        raise MiningFlowError(Diagnostic(f"{folder} exists and is not empty", None, hint))
    if folder.is_symlink():
        hint = "name a new folder; nothing was written"
        raise MiningFlowError(Diagnostic(f"{folder} is a link", None, hint))


def _check(file: Path, text: str, places: Places) -> None:
    """Checks the case; without its connection where that needs an environment variable."""
    if places.inside:
        pipeline.check(file)
        return
    alone = file.with_name(f"checked {file.name}")
    alone.write_text(text.rpartition("\nconnect:\n")[0] + "\n", encoding="utf-8")
    pipeline.check(alone)
    alone.unlink()


def write_folder(folder: Path, name: str, text: str, places: Places) -> Path:
    """Writes the case, its data and the schema; the case is checked before it is seen."""
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(mkdtemp(prefix=f".{folder.name}-", dir=parent))
    try:
        copy_files(places, unfinished)
        (unfinished / name).write_text(text, encoding="utf-8")
        (unfinished / ".gitignore").write_text(_IGNORED, encoding="utf-8")
        schema = json.dumps(case_schema(installed()), indent=1, ensure_ascii=False)
        (unfinished / SCHEMA_FILE).write_text(schema + "\n", encoding="utf-8")
        _check(unfinished / name, text, places)
        unfinished.chmod(0o755)
        refuse_existing(folder)
        if folder.exists():
            folder.rmdir()
        unfinished.rename(folder)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return folder / name
