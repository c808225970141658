"""Prints warnings about results: a line for each, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from miningflow.cli.output import echo
from miningflow.cli.verbosity import is_quiet

if TYPE_CHECKING:
    from miningflow.warn import ResultWarning


def print_warnings(warnings: Sequence[ResultWarning]) -> None:
    """Prints the block of warnings, if there are any; quiet commands print nothing else there."""
    if not warnings:
        return
    count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    err = is_quiet()
    echo(f"\n{count} (explained in docs/warnings.md):", err)
    for warning in warnings:
        echo(f"  {warning}", err)
        echo(f"      → {warning.remedy}", err)
