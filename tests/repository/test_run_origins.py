"""What a run was for survives the repository, in the words of earlier versions."""

from __future__ import annotations

import pytest

from miningflow.repository import RunOrigin
from miningflow.repository.run_origin import origin_from_text


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (RunOrigin(), "miningflow run"),
        (RunOrigin("verify"), "miningflow verify"),
        (RunOrigin("move", "duckdb:///a.duckdb"), "miningflow move from duckdb:///a.duckdb"),
    ],
)
def test_origins_come_back(origin: RunOrigin, text: str) -> None:
    assert origin.as_text() == text
    assert origin_from_text(text) == origin


@pytest.mark.parametrize("text", [None, "", "some other tool"])
def test_an_unknown_origin_is_a_run(text: str | None) -> None:
    assert origin_from_text(text) == RunOrigin()
