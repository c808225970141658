"""The commands. Everything heavy is imported inside them, so that `--help` answers at once."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli import checks, engines, exporting, stores
from miningflow.cli.failing import failing
from miningflow.cli.options import (
    CaseFile,
    Connect,
    Dialect,
    From,
    Full,
    Json,
    Lazy,
    Plot,
    Select,
    To,
    Wait,
)

app = typer.Typer(
    name="miningflow",
    help="Data-mining cases as YAML graphs of operators, compiled to SQL.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Runs the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console that knows no ● gets a ?
            stream.reconfigure(errors="replace")
    app()


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


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to make.")],
) -> None:
    """Make a small project that runs at once: a case, data, a connection."""
    with failing():
        from miningflow.cli.initial import make_project

        for line in make_project(folder):
            typer.echo(line)


@app.command()
def check(case: CaseFile, connect: Connect = None, json: Json = False) -> None:
    """Check a case; report all its mistakes. Touches no data and no database."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli import printing

        printing.checked(pipeline.check(case, connect), json)


@app.command()
def plan(
    case: CaseFile,
    connect: Connect = None,
    select: Select = None,
    from_step: From = None,
    to_step: To = None,
    full: Full = False,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Print what a run would do, and why. Changes nothing."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli import printing
        from miningflow.plan import Wish

        project = pipeline.check(case, connect, lazy)
        wish = Wish(tuple(select or ()), from_step, to_step, full)
        printing.planned(pipeline.plan(project, wish), json)


@app.command()
def run(
    case: CaseFile,
    connect: Connect = None,
    select: Select = None,
    from_step: From = None,
    to_step: To = None,
    full: Full = False,
    lazy: Lazy = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Also print the search trace of each selection.")
    ] = False,
    target: Annotated[
        Path, typer.Option("--target", metavar="DIR", help="Where the SQL files go.")
    ] = Path("target"),
    test: Annotated[
        bool,
        typer.Option("--test", help="Run the data tests first; if one fails, publish nothing."),
    ] = False,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Run a case: build what changed, then make it visible all at once."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli import printing
        from miningflow.cli.progress import watching
        from miningflow.cli.target import check_target, write_target
        from miningflow.plan import Wish

        project = pipeline.check(case, connect, lazy)
        wish = Wish(tuple(select or ()), from_step, to_step, full)
        check_target(target)
        with watching(project.bound, quiet=json) as listener:
            report, pieces = pipeline.run(
                project, wish, listener, wait, "miningflow run", target, test
            )
        files = write_target(project.bound, pieces, target, pipeline.store_dialect(project))
        printing.ran(project, report, files, trace, json)


@app.command("compile")
def compile_(
    case: CaseFile,
    step: Annotated[str | None, typer.Argument(metavar="[STEP]", help="Only this step.")] = None,
    connect: Connect = None,
    dialect: Dialect = None,
    score: Annotated[
        bool, typer.Option("--score", help="Print the scoring script instead.")
    ] = False,
    functions: Annotated[
        bool, typer.Option("--functions", help="Print the models as SQL functions instead.")
    ] = False,
) -> None:
    """Print the SQL of a case on what was learned. Changes nothing."""
    with failing():
        from miningflow import pipeline
        from miningflow.describe.script import case_script, function_script
        from miningflow.sql.dialect import known_dialect

        project = pipeline.check(case, connect)
        dialect = known_dialect(dialect or pipeline.store_dialect(project))
        compiled = pipeline.compile_case(project)
        if score:
            typer.echo(pipeline.scoring(project.bound, compiled, step).sql(dialect), nl=False)
        elif functions:
            typer.echo(function_script(project.bound, compiled, dialect, step), nl=False)
        else:
            typer.echo(case_script(project.bound, compiled, dialect, step), nl=False)


@app.command()
def score(
    case: CaseFile,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="CONCEPT=ROWS",
            help="New rows of a concept: a CSV or Parquet file, or a table of the store.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE | TABLE",
            help="Write to this .parquet or .csv file, or to this new table of the store; "
            "otherwise print.",
        ),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(
            "--step", metavar="STEP", help="The step to score with, if not the case's `scoring`."
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", "-k", metavar="FEATURE", help="Also give this feature."),
    ] = None,
    connect: Connect = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Score new rows with everything learned frozen. The label is not needed."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli import printing
        from miningflow.cli.assignments import assignments

        project = pipeline.check(case, connect)
        scores = pipeline.score(
            project, assignments(inputs or []), output, step, tuple(keep or ()), wait
        )
        printing.scored(scores, json)


@app.command()
def show(
    case: CaseFile,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[STEP | STEP.FEATURE]", help="A concept or step, or one of its features."
        ),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="The search trace of a selection.")
    ] = False,
    plot: Plot = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Draw the case as a graph into this file."),
    ] = None,
    connect: Connect = None,
    json: Json = False,
) -> None:
    """Show for each feature and step: present, deselected (by which step, why), never there."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli.drawing import draw_case
        from miningflow.cli.showing import show_case

        project = pipeline.check(case, connect)
        if svg is not None:
            draw_case(project, svg, what is not None or trace or plot is not None or json)
        else:
            show_case(project, what, trace, plot, json)


app.command()(checks.stats)
app.command()(checks.impact)
app.command()(checks.test)
app.command()(stores.verify)
app.command()(stores.move)
app.command("engines")(engines.engines)
app.command()(exporting.export)
app.command()(exporting.lineage)


@app.command()
def compare(
    case: CaseFile,
    step: Annotated[str, typer.Argument(metavar="STEP", help="A step that selects by a target.")],
    selectors: Annotated[
        list[str] | None,
        typer.Option(
            "--selector",
            metavar="NAME",
            help="Only this: score, alignment, normal, margin_bound, svm.",
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option("--rows", min=20, help="How many rows to draw, by hash of the key.")
    ] = 1000,
    folds: Annotated[
        int, typer.Option("--folds", min=2, max=100, help="How many folds to cross-validate in.")
    ] = 5,
    plot: Plot = None,
    connect: Connect = None,
    json: Json = False,
) -> None:
    """Compare selectors on a step's input: the error of a linear SVM by number of features."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli.comparing import print_comparison
        from miningflow.cli.progress import watching
        from miningflow.describe.plots import check_plot
        from miningflow.run.comparing import Question

        project = pipeline.check(case, connect)
        if plot is not None:
            check_plot(plot)
        question = Question(tuple(selectors or ()), rows, folds)
        with watching(project.bound, quiet=json) as listener:
            comparison = pipeline.compare(project, step, question, listener)
        print_comparison(comparison, plot, json)


@app.command()
def explain(
    case: CaseFile,
    step: Annotated[
        str | None,
        typer.Argument(metavar="[STEP]", help="The step; without it, the one that scores."),
    ] = None,
    connect: Connect = None,
    dialect: Dialect = None,
    json: Json = False,
) -> None:
    """Explain a step: what it learned and where, the SQL it became, what that costs."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli import printing
        from miningflow.sql.dialect import known_dialect

        project = pipeline.check(case, connect)
        dialect = known_dialect(dialect or pipeline.store_dialect(project))
        printing.explained(pipeline.explain(project, step, dialect), json)


@app.command()
def operators(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only this operator.")
    ] = None,
    json: Json = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole reference.")
    ] = False,
) -> None:
    """List the installed operators, or explain one."""
    with failing(json):
        from miningflow.cli.catalog import print_operators

        print_operators(name, json, markdown)


@app.command()
def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
) -> None:
    """Print the JSON Schema of case files, for completion and help in editors."""
    with failing():
        import json

        from miningflow.catalog import installed
        from miningflow.describe.schema import case_schema

        text = json.dumps(case_schema(installed()), indent=1, ensure_ascii=False)
        if output is None:
            typer.echo(text)
        else:
            output.write_text(text + "\n", encoding="utf-8")
            typer.echo(f"wrote {output}")


@app.command()
def clean(
    case: CaseFile,
    connect: Connect = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Drop exactly what the case made in its store, and what was learned."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli import printing

        printing.cleaned(pipeline.clean(pipeline.check(case, connect), wait), json)
