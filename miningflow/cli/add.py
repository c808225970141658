"""`miningflow add`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.candidates import any_files
from miningflow.cli.failing import failing
from miningflow.cli.inferred import print_inferred
from miningflow.cli.options import CaseFile, Connect, Json, Lazy
from miningflow.cli.output import counted, echo, echo_lines, note, print_json, table
from miningflow.cli.tables import print_table
from miningflow.cli.verbosity import is_quiet

if TYPE_CHECKING:
    from miningflow.verbs.add import Added, Refreshed

WORDS = {"went": "−", "came": "+", "changed": "~", "left out": "·", "read": "~"}


def add(
    case: CaseFile,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCES",
            help="Tables to add: CSV or Parquet files, workbooks, globs, folders, or tables of "
            "the store as TABLE or SCHEMA.TABLE. NAME=SOURCE names the concept.",
            autocompletion=any_files,
        ),
    ] = None,
    refresh: Annotated[
        bool,
        typer.Option(
            "--refresh",
            help="Add no table: adapt the concepts to columns that came, went or changed type.",
        ),
    ] = False,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", help="Leave files where they are, instead of copying them."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="With --refresh: remove features that went although steps use them."
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the lines that would change, and write none.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what was inferred about each column, and why.")
    ] = False,
    connect: Connect = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Add tables to a case, or adapt it to data that changed shape.

    Only the lines concerned change in its files; comments and order stay.

    Example: miningflow add shop.yml refunds.csv
    """
    with failing(json):
        if refresh and (sources or in_place):
            raise typer.BadParameter("--refresh takes no sources and no --in-place.")
        if not refresh and not sources:
            raise typer.BadParameter("name a table to add, or --refresh.")
        if force and not refresh:
            raise typer.BadParameter("--force needs --refresh.")

        from miningflow.project import load

        loaded = load(case, connect, lazy)
        if refresh:
            changed = loaded.refresh(dry_run, force)
            print_json(changed.as_json()) if json else _print_refreshed(changed, dry_run, explain)
            return
        added = loaded.add(sources or [], in_place, dry_run)
        print_json(added.as_json()) if json else _print_added(added, explain)


def _print_added(added: Added, explain: bool) -> None:
    if explain:
        print_inferred(added.findings, added.relations)
    for said in added.notes:
        echo(f"note: {said}", err=is_quiet())
    if not added.written:
        echo_lines(added.diff, nl=False)
        note("nothing was written")
        return
    columns = counted(len(added.findings), "column")
    relations = counted(len(added.relations), "relation")
    note(f"added {', '.join(added.concepts)} to {added.path}: {columns}, {relations}")
    for name, place in added.concepts.items():
        note(f"    {added.connected_in} says where {name} is: {place}")
    for path in added.copies:
        note(f"    copied {path}")
    if added.needs_connect:
        file = shlex.quote(str(added.connected_in))
        said = "data are outside the folder of the case: from now on, name the connection, as in"
        echo(said, err=is_quiet())
        line = f"  miningflow run {shlex.quote(str(added.path))} --connect {file}"
        echo_lines(line, err=is_quiet())


def _print_refreshed(refreshed: Refreshed, dry_run: bool, explain: bool) -> None:
    for said in refreshed.notes:
        echo(f"note: {said}", err=is_quiet())
    if not refreshed.changes:
        note(f"{refreshed.path}: the columns are as the case says")
        return
    if explain:
        print_inferred([each.finding for each in refreshed.changes if each.finding], [])
    shown = table("", "concept", "column", "type", "why")
    for each in refreshed.changes:
        kind = each.type if each.kind in ("came", "changed") else None
        typed = f"{each.was} → {kind}" if each.kind == "changed" else kind or ""
        shown.add_row(
            WORDS[each.kind], each.concept, each.column, typed, _said(each.kind, each.said)
        )
    print_table(shown)
    for effect in refreshed.effects:
        echo(f"note: {effect.where}: {effect.said}", err=is_quiet())
    if dry_run:
        echo_lines(refreshed.diff, nl=False)
    note(f"changed {refreshed.path}" if refreshed.written else "nothing was written")


def _said(kind: str, said: str) -> str:
    return {"went": f"went: {said}", "left out": f"left out: {said}"}.get(kind, said)
