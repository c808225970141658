"""Settings by environment: options that a person chooses once, and names that were mistyped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from miningflow.cli.bugs import TRACEBACK
from miningflow.cli.output import echo_diagnostic
from miningflow.errors import Diagnostic, closest

PREFIX = "MININGFLOW_"
CONNECT = f"{PREFIX}CONNECT"
TARGET = f"{PREFIX}TARGET"
WAIT = f"{PREFIX}WAIT"
# Those of the tests of MiningFlow itself.
_TESTS = f"{PREFIX}TEST_"


def settings(group: Any) -> dict[str, set[str]]:
    """Returns the variables that set options: name → the options."""
    found: dict[str, set[str]] = {}
    for command in (group, *group.commands.values()):
        for parameter in command.params:
            if isinstance(parameter.envvar, str):
                found.setdefault(parameter.envvar, set()).add(max(parameter.opts, key=len))
    return found


def warn_of_mistyped(group: Any) -> None:
    """Warns of variables whose names are nearly those of settings.

    Others may belong to somebody else, such as a password that a connection file reads.
    """
    if not any(name.startswith(PREFIX) for name in os.environ):
        return
    known = [*settings(group), TRACEBACK]
    for name, meant in _mistyped(known):
        said = f"the environment variable {name} has no meaning"
        echo_diagnostic(Diagnostic(said, None, f"did you mean {meant}?", "warning"))


def trusted_connection(
    ctx: typer.Context, param: typer.CallbackParam, value: Path | None
) -> Path | None:
    """Refuses a relative path in the environment: it would trust any folder one works in."""
    if value is None or value.is_absolute() or ctx.resilient_parsing:
        return value
    source = ctx.get_parameter_source(str(param.name))
    if source is not None and source.name == "ENVIRONMENT":
        raise typer.BadParameter(
            f"{CONNECT} is {str(value)!r}; write an absolute path, since another one means a "
            "different file in every folder, which may have come with a case of somebody else"
        )
    return value


def _mistyped(known: list[str]) -> Iterator[tuple[str, str]]:
    names = [name.removeprefix(PREFIX) for name in known]
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known and not name.startswith(_TESTS):
            meant = closest(name.removeprefix(PREFIX), names)
            if meant is not None:
                yield name, PREFIX + meant
