"""`miningflow completion`."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files
from typing import Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.output import echo_program


class Shell(StrEnum):
    """A shell that completes commands."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"
    powershell = "powershell"


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell.")],
) -> None:
    """Print a script that lets a shell complete commands.

    It completes commands, options, case files, and the names of steps, concepts, operators and so
    on. Put its output where your shell reads it:

    \b
    bash        in ~/.bashrc:  source <(miningflow completion bash)
    zsh         in ~/.zshrc, after compinit:
                source <(miningflow completion zsh)
    fish        miningflow completion fish \\
                > ~/.config/fish/completions/miningflow.fish
    powershell  in $PROFILE:
                miningflow completion powershell | Out-String |
                Invoke-Expression

    Example: miningflow completion bash
    """
    with failing():
        script = files("miningflow.cli") / "completion_scripts" / shell.value
        echo_program(script.read_text(encoding="utf-8"))
