"""Pages hold what they were given, escaped and bounded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.parsed_html import parsed

from miningflow.html import element, number, page, table
from miningflow.html.charts import MOST_LINES, Series, line_chart
from miningflow.html.page import LONGEST_CODE, code
from miningflow.html.tables import LONGEST_TEXT, MOST_COLUMNS, frame_table

HOSTILE = "</style></td><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&lt;b&gt;\x1b"


def test_text_and_attributes_come_back_as_they_were() -> None:
    found = parsed(page(HOSTILE, "", element("p", {"aria-label": HOSTILE}, HOSTILE)))
    shown = HOSTILE.replace("\x1b", "\\x1b")
    assert found.text.count(shown) == 2
    assert ("aria-label", shown) in found.attributes
    assert set(found.tags) == {"style", "div", "h4", "strong", "p"}
    assert not found.unclosed


@pytest.mark.parametrize("tag", ["script", "img", "a", "iframe", "p onclick=x"])
def test_elements_that_load_or_run_cannot_be_made(tag: str) -> None:
    with pytest.raises(ValueError, match="not for a notebook"):
        element(tag)


@pytest.mark.parametrize("name", ["onclick", "href", "src", "style", "xlink:href"])
def test_attributes_that_load_or_run_cannot_be_made(name: str) -> None:
    with pytest.raises(ValueError, match="not for a notebook"):
        element("p", {name: "x"})


def test_long_tables_are_folded() -> None:
    rows = [[str(i), "x"] for i in range(1000)]
    found = parsed(str(table(["a", "b"], rows)))
    assert found.tags.count("tr") == 1 + 60 + 1
    assert "… 940 more" in found.text
    assert ("colspan", "2") in found.attributes
    exact = parsed(str(table(["a", "b"], rows[:60])))
    assert "more" not in exact.text


def test_wide_tables_and_long_texts_are_cut() -> None:
    heads = [f"c{i}" for i in range(MOST_COLUMNS + 5)]
    found = parsed(str(table(heads, [["y" * (LONGEST_TEXT + 1), *heads[1:]]])))
    assert "… 5 more" in found.text
    assert f"{'y' * LONGEST_TEXT}… ({LONGEST_TEXT + 1} characters)" in found.text
    assert len(str(code("z" * 1_000_000))) < LONGEST_CODE + 200


def test_a_frame_becomes_a_table() -> None:
    frame = pd.DataFrame(
        {
            "<name>": ["<b>", None, "c"],
            "count": pd.array([1, None, 12345], dtype="Int64"),
            "share": [0.123456, np.nan, 3.0],
            "kept": [("a", "b"), (), ("c",)],
        }
    )
    found = parsed(str(frame_table(frame)))
    for text in ("<name>", "<b>", "12,345", "0.1235", "–", "a, b"):
        assert text in found.text
    many = parsed(str(frame_table(pd.DataFrame({"i": range(100_000)}))))
    assert "… 99,940 more" in many.text
    assert not parsed(str(frame_table(pd.DataFrame()))).unclosed


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "inf"),
        (0, "0"),
        (1234567, "1,234,567"),
        (1234.0, "1,234"),
        (0.5, "0.5"),
        (0.123456, "0.1235"),
        (1e300, "1e+300"),
        (True, "True"),
        ("<b>", "<b>"),
    ],
)
def test_numbers_are_short(value: object, written: str) -> None:
    assert number(value) == written


def test_a_chart_draws_what_is_finite() -> None:
    lines = [Series(f"<{i}>", [1, 2, 3], [0.5, float("nan"), i / 100]) for i in range(30)]
    found = parsed(str(line_chart(lines, "<x>", "<y>")))
    assert found.tags.count("polyline") == MOST_LINES
    assert f"… {30 - MOST_LINES} more" in found.text
    drawn = [value for name, value in found.attributes if name == "points"]
    assert all(len(points.split()) == 2 for points in drawn)
    assert "nan" not in str(drawn)
    for odd in ([], [Series("a", [1], [1])], [Series("a", [0, 1e308], [-1e300, 1e300])]):
        assert not parsed(str(line_chart(odd, "x", "y"))).unclosed


def test_a_chart_of_many_points_is_bounded() -> None:
    xs = list(range(100_000))
    found = parsed(str(line_chart([Series("a", xs, xs)], "x", "y")))
    (points,) = [value for name, value in found.attributes if name == "points"]
    assert 300 < len(points.split()) <= 502
