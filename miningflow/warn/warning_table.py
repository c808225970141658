"""Warnings about results as a table for a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from miningflow.html import Content, Element, section, table
from miningflow.html.page import badge
from miningflow.warn.result_warning import ResultWarning


def warning_table(warnings: Sequence[ResultWarning]) -> Element | None:
    """Returns warnings with what to do about each, if there are any."""
    if not warnings:
        return None
    rows: list[Sequence[Content]] = [
        [badge("warning", "doubtful"), w.subject, w.message, w.remedy] for w in warnings
    ]
    count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    return section(count, table(["", "about", "what is doubtful", "what to do"], rows))
