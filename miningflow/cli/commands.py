"""The command line: registers one command per file of this folder.

Commands only parse options, call a method of `LoadedCase`, and print. They import everything heavy
inside, so that `--help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.add import add
from miningflow.cli.candidates import complete_paths
from miningflow.cli.check import check
from miningflow.cli.clean import clean
from miningflow.cli.compare import compare
from miningflow.cli.compile import compile_
from miningflow.cli.completion import completion
from miningflow.cli.engines import engines
from miningflow.cli.environment import warn_of_mistyped
from miningflow.cli.explain import explain
from miningflow.cli.export import export
from miningflow.cli.grouped_help import GroupedCommand, GroupedCommands
from miningflow.cli.impact import impact
from miningflow.cli.init import init
from miningflow.cli.lineage import lineage
from miningflow.cli.move import move
from miningflow.cli.operators import operators
from miningflow.cli.plan import plan
from miningflow.cli.plot import plot
from miningflow.cli.run import run
from miningflow.cli.schema import schema
from miningflow.cli.score import score
from miningflow.cli.show import show
from miningflow.cli.stats import stats
from miningflow.cli.test import test
from miningflow.cli.verbosity import (
    QuietByDefault,
    VerboseByDefault,
    choose,
    with_verbosity,
)
from miningflow.cli.verify import verify

app = typer.Typer(
    name="miningflow",
    cls=GroupedCommands,
    help="Data-mining cases as YAML graphs of operators, compiled to SQL.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def version(
    context: typer.Context,
    show: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
    quiet: QuietByDefault = False,
    verbose: VerboseByDefault = False,
) -> None:
    """Data-mining cases as YAML graphs of operators, compiled to SQL."""
    if show:
        from miningflow import __version__

        typer.echo(f"miningflow {__version__}")
        raise typer.Exit
    choose(context, quiet, verbose)
    warn_of_mistyped(context.command)


WRITING = "Write a case"
RUNNING = "Run it"
READING = "Understand the results"
ELSEWHERE = "Take it elsewhere"
TERMINAL = "Use the command line"

app.command(rich_help_panel=WRITING)(init)
app.command(rich_help_panel=WRITING)(add)
app.command(rich_help_panel=WRITING)(check)
app.command(rich_help_panel=WRITING)(impact)
app.command(rich_help_panel=WRITING)(operators)
app.command(rich_help_panel=WRITING)(schema)
app.command(rich_help_panel=RUNNING)(plan)
app.command(rich_help_panel=RUNNING)(run)
app.command(rich_help_panel=RUNNING)(test)
app.command(rich_help_panel=RUNNING)(score)
app.command(rich_help_panel=RUNNING)(clean)
app.command(rich_help_panel=READING)(show)
app.command(rich_help_panel=READING)(plot)
app.command(rich_help_panel=READING)(stats)
app.command(rich_help_panel=READING)(explain)
app.command(rich_help_panel=READING)(compare)
app.command("compile", rich_help_panel=ELSEWHERE)(compile_)
app.command(rich_help_panel=ELSEWHERE)(export)
app.command(rich_help_panel=ELSEWHERE)(lineage)
app.command(rich_help_panel=ELSEWHERE)(move)
app.command(rich_help_panel=ELSEWHERE)(verify)
app.command(rich_help_panel=ELSEWHERE)(engines)
app.command(rich_help_panel=TERMINAL)(completion)

for registered in app.registered_commands:
    registered.cls = GroupedCommand
    if registered.callback is not None:
        registered.callback = with_verbosity(registered.callback)
        complete_paths(registered.callback)
