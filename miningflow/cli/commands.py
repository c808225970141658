"""The command line: registers one command per file of this folder.

Commands only parse options, call a method of `LoadedCase`, and print. They import everything heavy
inside, so that `--help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.check import check
from miningflow.cli.clean import clean
from miningflow.cli.compare import compare
from miningflow.cli.compile import compile_
from miningflow.cli.engines import engines
from miningflow.cli.explain import explain
from miningflow.cli.export import export
from miningflow.cli.impact import impact
from miningflow.cli.init import init
from miningflow.cli.lineage import lineage
from miningflow.cli.move import move
from miningflow.cli.operators import operators
from miningflow.cli.plan import plan
from miningflow.cli.run import run
from miningflow.cli.schema import schema
from miningflow.cli.score import score
from miningflow.cli.show import show
from miningflow.cli.stats import stats
from miningflow.cli.test import test
from miningflow.cli.verify import verify

app = typer.Typer(
    name="miningflow",
    help="Data-mining cases as YAML graphs of operators, compiled to SQL.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    """Data-mining cases as YAML graphs of operators, compiled to SQL."""
    if show:
        from miningflow import __version__

        typer.echo(f"miningflow {__version__}")
        raise typer.Exit


app.command()(init)
app.command()(check)
app.command()(plan)
app.command()(run)
app.command("compile")(compile_)
app.command()(score)
app.command()(show)
app.command()(stats)
app.command()(impact)
app.command()(test)
app.command()(verify)
app.command()(move)
app.command()(export)
app.command()(lineage)
app.command()(compare)
app.command()(explain)
app.command()(operators)
app.command()(engines)
app.command()(schema)
app.command()(clean)
