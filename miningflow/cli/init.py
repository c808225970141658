"""`miningflow init`."""

from __future__ import annotations

import shlex
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.candidates import any_files
from miningflow.cli.failing import failing
from miningflow.cli.inferred import print_inferred
from miningflow.cli.options import Json
from miningflow.cli.output import counted, echo, echo_lines, note, print_json
from miningflow.cli.verbosity import is_quiet

if TYPE_CHECKING:
    from miningflow.verbs.start import Started


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to create.")],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCES", help="Further sources for --from.", autocompletion=any_files
        ),
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="A table to draft a case from: a CSV, Parquet or DuckDB file, a workbook, a "
            "glob, a folder or the address of a store; several may follow. NAME=SOURCE names the "
            "concept.",
            autocompletion=any_files,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", metavar="[TABLE.]COLUMN", help="Also draft steps that predict this column."
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option("--positive", metavar="VALUE", help="The class of interest, of two."),
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", help="Leave files where they are, instead of copying them."),
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what was inferred about each column, and why.")
    ] = False,
    json: Json = False,
) -> None:
    """Create a project: an example, or a case drafted from your data.

    It runs at once. Nothing is overwritten.

    Example: miningflow init my_project
    """
    with failing(json):
        if sources:
            from miningflow.project import start

            started = start([*sources, *(more or ())], folder, target, positive, in_place)
            print_json(started.as_json()) if json else _report(started, explain)
            return
        if target or positive:
            raise typer.BadParameter("--target and --positive need --from.")
        if more:
            raise typer.BadParameter(f"what is {more[0]!r}? Write `--from {more[0]}`.")
        _example(folder)


def _report(started: Started, explain: bool) -> None:
    if explain:
        print_inferred(started.findings, started.relations)
    file = shlex.quote(started.path.name)
    concepts = len({each.table for each in started.findings})
    connect = f" --connect {file}" if started.needs_connect else ""
    for said in started.notes:
        echo(f"note: {said}", err=is_quiet())
    warned = [each for each in started.findings if each.warnings or each.given_away]
    note(
        f"made {started.path}: {counted(concepts, 'concept')}, "
        f"{counted(len(started.findings), 'column')}, "
        f"{counted(len(started.relations), 'relation')}; "
        f"{counted(len(warned), 'column')} with a comment on what looks odd\n"
    )
    _advise(
        f"  cd {shlex.quote(str(started.path.parent))}\n"
        f"  miningflow run {file}{connect}\n"
        f"  miningflow stats {file}{connect}"
    )


def _advise(commands: str) -> None:
    """Prints commands to copy, in lines that are not wrapped."""
    if not is_quiet():
        echo_lines(commands)


def _example(folder: Path) -> None:
    """Makes the small project that comes with MiningFlow."""
    import json

    from miningflow.catalog import installed
    from miningflow.describe.schema import case_schema
    from miningflow.verbs.start.new_folder import SCHEMA_FILE, refuse_existing

    refuse_existing(folder)
    _copy(files("miningflow.cli") / "template", folder)
    schema = json.dumps(case_schema(installed()), indent=1, ensure_ascii=False)
    (folder / SCHEMA_FILE).write_text(schema + "\n", encoding="utf-8")
    note(f"made {folder}: shop.yml (the case), data/, connections/ and {SCHEMA_FILE}\n")
    _advise(
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
