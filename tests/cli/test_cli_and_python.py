"""The command line and the Python API have the same verbs, with the same options and defaults."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import pytest
from typer.models import OptionInfo

from miningflow.cli.commands import app
from miningflow.project import LoadedCase, load

# A command → the methods it calls, where that is not the one of its name.
METHODS = {
    "add": ("add", "refresh"),
    "check": (),
    "show": ("features", "selections", "draw"),
    "stats": ("stats", "estimate"),
}
# Options that are about printing, or choose between methods.
ONLY_COMMAND_LINE = {
    ("add", "refresh"): "chooses `refresh`",
    ("add", "explain"): "prints `findings`",
    ("check", "data"): "a parameter of the function `check`",
    ("run", "trace"): "prints what `selections` returns",
    ("show", "trace"): "chooses `selections`",
    ("stats", "estimate"): "chooses `estimate`",
}
# Options of every command, which are about what a terminal shows.
EVERY_COMMAND = {"json", "quiet", "verbose"}
ONLY_PYTHON = {
    "listener": "the command line shows progress with it, and more with --verbose",
    "ax": "the command line writes a file",
    "path": "the argument CASE",
    "report": "the command line prints it",
}
# Parameters of several methods that are one argument of their command.
ONE_ARGUMENT = {("selections", "step"): "what"}
# Methods and properties without a command.
NO_COMMAND = {
    "table": "the rows can be read in the database",
    "step": "`show`, `explain` and `compile` print its parts",
    "name": "",
    "path": "",
    "warnings": "`check` prints them",
}
NO_CASE = {"completion", "init", "operators", "engines", "schema"}
# Words of the command line that cannot be, or read badly as, a parameter of Python.
OTHER_WORDS = {
    "from": {"from_step", "origin"},
    "to": {"to_step", "to"},
    "input": {"inputs"},
    "selector": {"selectors"},
    "source": {"sources"},
    "lineage": {"with_lineage"},
}
COMMANDS = {
    info.name or info.callback.__name__: info.callback
    for info in app.registered_commands
    if info.callback is not None and info.callback.__name__ not in NO_CASE
}


def options(command: str) -> dict[str, Any]:
    """Returns the arguments and options of a command with their defaults."""
    found = inspect.signature(COMMANDS[command]).parameters
    own = {n: p for n, p in found.items() if n not in {"case", "cases"} | EVERY_COMMAND}
    return {n: _plain(p.default) for n, p in own.items()}


def parameters(command: str) -> dict[str, Any]:
    """Returns the parameters of `load` and of the methods of a command with their defaults."""
    methods = METHODS.get(command, (command,))
    functions = {"load": load, **{name: getattr(LoadedCase, name) for name in methods}}
    found: dict[str, Any] = {}
    for owner, function in functions.items():
        for name, parameter in inspect.signature(function).parameters.items():
            if name != "self" and name not in ONLY_PYTHON:
                found[ONE_ARGUMENT.get((owner, name), name)] = _plain(parameter.default)
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_the_options_of_its_method(command: str) -> None:
    own = {name for owner, name in ONLY_COMMAND_LINE if owner == command}
    found = {name: value for name, value in options(command).items() if name not in own}
    assert found == parameters(command)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_is_the_word_of_its_parameter(command: str) -> None:
    for name, hint in get_type_hints(COMMANDS[command], include_extras=True).items():
        for option in getattr(hint, "__metadata__", ()):
            if isinstance(option, OptionInfo):
                # typer keeps the first word of an annotated option as its default
                words = [str(word) for word in (option.default, *(option.param_decls or ()))]
                word = max(words, key=len).removeprefix("--").replace("-", "_")
                assert name in OTHER_WORDS.get(word, {word})


def test_every_method_has_a_command() -> None:
    called = {method for name in COMMANDS for method in METHODS.get(name, (name,))}
    public = {
        name
        for name, member in vars(LoadedCase).items()
        if not name.startswith("_") and (callable(member) or isinstance(member, property))
    }
    assert public == called | set(NO_COMMAND)


def _plain(default: Any) -> Any:
    """Makes defaults comparable: nothing, no default, an empty list and a path as text."""
    if default is None or default is inspect.Parameter.empty or default == ():
        return None
    return default if isinstance(default, bool | int | float) else str(default)
