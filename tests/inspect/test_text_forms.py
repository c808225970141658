"""What text stands for: numbers, times and missing values, by the values themselves."""

from __future__ import annotations

import pytest

from miningflow.inspect.text_forms import common_reading, null_words, text_form


def form(*values: str, words: tuple[str, ...] = ()) -> tuple[str, str, str | None, str]:
    found = text_form([(value, 1) for value in values], words)
    return found.form, found.decimal, found.thousands, found.date_format


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("1", "-2.5", ".5", "1e3"), ("number", ".", None, "")),
        (("1,5", "2", "-0,125"), ("number", ",", None, "")),
        (("1.234,50", "17,25"), ("number", ",", ".", "")),
        (("1,234.50", "17.25"), ("number", ".", ",", "")),
        (("0,125", "0,250"), ("number", ",", None, "")),
        (("2024-12-31", "2024-01-01 13:45:00"), ("time", ".", None, "")),
        (("31.12.2024", "01.02.2024"), ("time", ".", None, "%d.%m.%Y")),
        (("12/31/2024", "01/02/2024"), ("time", ".", None, "%m/%d/%Y")),
        (("31/12/2024 13:45", "01/02/2024 08:00"), ("time", ".", None, "%d/%m/%Y %H:%M")),
        (("20241231", "20240101"), ("time", ".", None, "%Y%m%d")),
        (("20241231", "20249999"), ("number", ".", None, "")),
        (("north", "south"), ("text", ".", None, "")),
        (("1.2.3", "4.5.6"), ("text", ".", None, "")),
    ],
)
def test_forms(values: tuple[str, ...], expected: tuple[str, str, str | None, str]) -> None:
    assert form(*values) == expected


def test_a_date_that_could_be_either_is_said() -> None:
    found = text_form([("01/02/2024", 1), ("03/04/2024", 1)], ())
    assert (found.date_format, found.other_date_format) == ("%m/%d/%Y", "%d/%m/%Y")


def test_words_for_missing_values() -> None:
    numbers, texts = [("1", 9), ("-", 1), ("k. A.", 1)], [("north", 5), ("NA", 1), ("-", 2)]
    assert set(null_words([numbers, texts])) == {"-", "k. A.", "NA"}
    assert null_words([[("north", 5), ("-", 2)]]) == ()


def test_namibia_is_no_missing_value() -> None:
    countries = [(code, 1) for code in ("NA", "DE", "FR", "IT", "ES", "PT", "PL")]
    assert null_words([countries]) == ()


def test_a_few_misfits_are_named() -> None:
    found = text_form([("1", 50), ("2", 45), ("broken", 1)], ())
    assert (found.form, found.looks_like, found.misfits) == ("text", "number", ("broken",))


def test_a_file_has_one_reading() -> None:
    forms = {
        "a": text_form([("1,5", 1)], ()),
        "b": text_form([("31.12.2024", 1)], ()),
        "c": text_form([("2024-12-31", 1)], ()),
    }
    assert common_reading(forms) == (",", None, ("%d.%m.%Y", "%Y-%m-%d"))
