"""Tables: of many rows the first are shown, and how many there are."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from miningflow.html.elements import Content, Element, element

MOST_ROWS = 60
MOST_COLUMNS = 40
LONGEST_TEXT = 400


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[Content]],
    numbers: Collection[str] = (),
    most: int = MOST_ROWS,
) -> Element:
    """Returns a table; the columns that `numbers` names are aligned to the right.

    Of rows and columns beyond the limits only the count is shown.
    """
    shown = list(heads[:MOST_COLUMNS])
    looks = ["mf-number" if head in numbers else "" for head in shown]
    more_columns = len(heads) - len(shown)
    titles = [
        element("th", {"scope": "col", **_classed(look)}, shortened(head))
        for head, look in zip(shown, looks, strict=True)
    ]
    if more_columns:
        titles.append(element("th", {"scope": "col"}, f"… {more_columns:,} more"))
    body = [
        element(
            "tr",
            None,
            *(
                element("td", look, shortened(cell) if isinstance(cell, str) else cell)
                for cell, look in zip(row[:MOST_COLUMNS], looks, strict=True)
            ),
            *([element("td", None, "…")] if more_columns else []),
        )
        for row in rows[:most]
    ]
    if len(rows) > most:
        words = f"… {len(rows) - most:,} more"
        more = element("td", {"colspan": str(len(titles)), "class": "mf-more"}, words)
        body.append(element("tr", None, more))
    return element(
        "div",
        "mf-wide",
        element(
            "table",
            None,
            element("thead", None, element("tr", None, *titles)),
            element("tbody", None, *body),
        ),
    )


def frame_table(frame: Any) -> Element:
    """Returns a pandas frame as a table."""
    import pandas as pd

    first = frame.head(MOST_ROWS)
    names = [str(name) for name in frame.columns]
    numbers = {
        name
        for name, kind in zip(names, frame.dtypes, strict=True)
        if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
    }
    rows: list[Sequence[Content]] = [
        [_cell(value) for value in row] for row in first.itertuples(index=False, name=None)
    ]
    # the rest is counted only
    rows += [()] * (len(frame) - len(first))
    return table(names, rows, numbers)


def number(value: Any) -> str:
    """Writes a number with four digits, or a count; what is missing is a dash."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or (value.is_integer() and 1 < abs(value) < 1e15):
        return f"{value:,.0f}"
    return f"{value:.4g}"


def shortened(text: str, most: int = LONGEST_TEXT) -> str:
    """Returns a text, cut off if it is long."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _cell(value: Any) -> str:
    import pandas as pd

    if isinstance(value, tuple | list):
        return ", ".join(map(str, value[:MOST_ROWS])) + (", …" if len(value) > MOST_ROWS else "")
    if value is pd.NA or value is pd.NaT:
        return "–"
    return number(value.item() if hasattr(value, "item") else value)


def _classed(look: str) -> dict[str, str]:
    return {"class": look} if look else {}
