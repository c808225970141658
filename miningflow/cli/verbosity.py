"""How much a command says: `--quiet` and `--verbose`, before or after its name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

import typer

COMMON = "Common options"
"""The heading in help of options that many commands have."""
_QUIET = "Print only results, warnings and errors."
_VERBOSE = "Also print what is read and why, and SQL statements with their time."
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help=_QUIET, rich_help_panel=COMMON)]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help=_VERBOSE, rich_help_panel=COMMON)]
QuietByDefault = Annotated[
    bool, typer.Option("--quiet", "-q", help=_QUIET, envvar="MININGFLOW_QUIET")
]
VerboseByDefault = Annotated[
    bool, typer.Option("--verbose", "-v", help=_VERBOSE, envvar="MININGFLOW_VERBOSE")
]


@dataclass(frozen=True)
class Verbosity:
    """How much is said; neither quiet nor verbose is what most people want to read."""

    quiet: bool = False
    verbose: bool = False
    from_environment: bool = False
    """Whether the environment chose it, which options override."""


_NORMAL = Verbosity()
_chosen = ContextVar("verbosity", default=_NORMAL)


def is_quiet() -> bool:
    """Returns whether only results, warnings and errors are printed."""
    return _chosen.get().quiet


def is_verbose() -> bool:
    """Returns whether more than usual is printed."""
    return _chosen.get().verbose


def choose(context: typer.Context, quiet: bool, verbose: bool) -> None:
    """Takes what was chosen before the name of the command, or in the environment."""
    given = {
        name: value
        for name, value in {"quiet": quiet, "verbose": verbose}.items()
        if value and _source(context, name) != "ENVIRONMENT"
    }
    if given:
        _chosen.set(_agreed(Verbosity(**given)))
    else:
        _chosen.set(_agreed(Verbosity(quiet, verbose, from_environment=True)))


def with_verbosity(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options `--quiet` and `--verbose` to a command."""

    @functools.wraps(command)
    def speaking(*, quiet: bool = False, verbose: bool = False, **own: Any) -> None:
        if quiet or verbose:
            before = _NORMAL if _chosen.get().from_environment else _chosen.get()
            _chosen.set(_agreed(Verbosity(quiet or before.quiet, verbose or before.verbose)))
        if is_verbose():
            from miningflow.cli.resources import reporting_resources

            with reporting_resources():
                command(**own)
        else:
            command(**own)

    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name])
        for name, parameter in inspect.signature(command).parameters.items()
    ]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=hint)
        for name, hint in (("quiet", Quiet), ("verbose", Verbose))
    ]
    speaking.__signature__ = inspect.Signature([*own, *added], return_annotation=None)  # type: ignore[attr-defined]
    speaking.__annotations__ = {**hints, "quiet": Quiet, "verbose": Verbose}
    return speaking


def _source(context: typer.Context, name: str) -> str:
    source = context.get_parameter_source(name)
    return source.name if source is not None else ""


def _agreed(chosen: Verbosity) -> Verbosity:
    if not (chosen.quiet and chosen.verbose):
        return chosen
    named = (
        "MININGFLOW_QUIET and MININGFLOW_VERBOSE"
        if chosen.from_environment
        else "--quiet and --verbose"
    )
    raise typer.BadParameter(f"{named} contradict each other; choose one")
