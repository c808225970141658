"""Writes the part of docs/command_line.md that lists all commands, from what their help says.

`make docs` runs it as a module; what stands above the mark is written by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from miningflow.cli.commands import app
from miningflow.cli.grouped_help import commands_of
from miningflow.cli.verbosity import COMMON

MARK = "<!-- What follows is made by `make docs`. -->\n"
_EXAMPLE = "Example: "


def with_commands(page: str) -> str:
    """Returns a page with the current commands below the mark."""
    written, mark, _ = page.partition(MARK)
    if not mark:
        raise ValueError(f"the page has no line {MARK.strip()!r}")
    return written + mark + commands_markdown()


def commands_markdown() -> str:
    """Writes all commands, by heading."""
    group: Any = get_command(app)
    found = commands_of(group, typer.Context(group))
    headings: dict[str, list[str]] = {}
    common: dict[str, str] = {}
    for name, command in found.items():
        headings.setdefault(str(command.rich_help_panel), []).append(_command(name, command))
        for option in _options(command, common=True):
            common.setdefault(_names(option), _said(option))
    parts = ["\n## Options that many commands have\n\n", _table(common)]
    for heading, texts in headings.items():
        parts += [f"\n## {heading}\n", *texts]
    return "".join(parts)


def _command(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    words = " ".join(_argument(p) for p in arguments)
    parts = [f"\n### {name}\n\n`miningflow {name} {words}`".replace(" `", "`"), "\n\n"]
    example = ""
    for paragraph in (command.help or "").strip().split("\n\n"):
        if paragraph.startswith(_EXAMPLE):
            example = f"```console\n$ {paragraph.removeprefix(_EXAMPLE).strip()}\n```\n\n"
        elif paragraph.startswith("\b"):
            parts.append(f"```text\n{paragraph.removeprefix(chr(8)).strip(chr(10))}\n```\n\n")
        else:
            parts.append(f"{' '.join(paragraph.split())}\n\n")
    rows = {f"`{_argument(p)}`": _said(p) for p in arguments}
    rows |= {_names(p): _said(p) for p in _options(command, common=False)}
    parts += [example, _table(rows)]
    shared = ", ".join(f"`{max(p.opts, key=len)}`" for p in _options(command, common=True))
    return "".join([*parts, f"\nAlso {shared}.\n"])


def _options(command: Any, common: bool) -> list[Any]:
    options = [p for p in command.params if p.param_type_name == "option"]
    return [p for p in options if (getattr(p, "rich_help_panel", None) == COMMON) == common]


def _argument(parameter: Any) -> str:
    return str(parameter.metavar or str(parameter.name).upper())


def _names(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len, reverse=True))
    return f"{names} {option.metavar}" if option.metavar else names


def _said(parameter: Any) -> str:
    said = " ".join((parameter.help or "").split())
    if isinstance(parameter.default, int | float | str) and not isinstance(parameter.default, bool):
        said += f" Default: `{parameter.default}`."
    if isinstance(parameter.envvar, str):
        said += f" Environment: `{parameter.envvar}`."
    return said


def _table(rows: dict[str, str]) -> str:
    if not rows:
        return ""
    lines = [f"| {_cell(names)} | {_cell(said)} |\n" for names, said in rows.items()]
    return "".join(["| | |\n| --- | --- |\n", *lines])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_commands(path.read_text(encoding="utf-8")), encoding="utf-8")
