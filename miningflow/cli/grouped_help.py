"""Help whose options and commands stand below headings, and in which no summary is cut off."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from miningflow.cli.verbosity import COMMON

_OPTIONS = "Options"
_COMMANDS = "Commands"


class GroupedCommand(TyperCommand):
    """A command whose help lists its own options first, then those that many commands have."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes arguments and options below their headings."""
        _write_options(self.get_params(ctx), ctx, formatter)


class GroupedCommands(TyperGroup):
    """The command line, whose help lists commands by what they are for."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the options, then the commands."""
        _write_options(self.get_params(ctx), ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands below their headings, each with the first paragraph of its help."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in commands_of(self, ctx).items():
            heading = getattr(command, "rich_help_panel", None) or _COMMANDS
            sections.setdefault(_text(heading, _COMMANDS), []).append((name, summary(command)))
        widest = max(len(name) for rows in sections.values() for name, _ in rows)
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), said) for name, said in rows])


def commands_of(group: Any, context: typer.Context) -> dict[str, Any]:
    """Returns the commands that are shown, by name."""
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command and not command.hidden}


def summary(command: Any) -> str:
    """Returns the first paragraph of the help of a command."""
    first = (command.help or "").strip().partition("\n\n")[0]
    return " ".join(first.split())


def _write_options(parameters: list[Any], ctx: Any, formatter: Any) -> None:
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], _OPTIONS: []}
    common: list[tuple[str, str]] = []
    for parameter in parameters:
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        panel = _text(getattr(parameter, "rich_help_panel", None), _OPTIONS)
        if parameter.param_type_name == "argument":
            sections["Arguments"].append(record)
        elif panel == COMMON or (parameter.name == "help" and ctx.parent is not None):
            common.append(record)
        else:
            sections.setdefault(panel, []).append(record)
    sections[COMMON] = common
    for heading, records in sections.items():
        if records:
            with formatter.section(heading):
                formatter.write_dl(records)


def _text(panel: Any, default: str) -> str:
    return panel if isinstance(panel, str) else default
