"""Fixtures for all tests: cases written to a folder of their own, real engines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import example_data
import pytest

import miningflow
from miningflow.project import CaseProject

WriteCase = Callable[..., Path]
LoadCase = Callable[..., CaseProject]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden SQL files instead of comparing"
    )


@pytest.fixture
def write_case(tmp_path: Path) -> WriteCase:
    """Writes a case with the given steps over the example concepts, and their data beside it."""

    def write(
        steps: str, concepts: str = example_data.CONCEPTS, connect: str = example_data.CONNECT
    ) -> Path:
        example_data.write(tmp_path, example_data.tables())
        body = textwrap.indent(textwrap.dedent(steps).strip("\n"), "  ")
        path = tmp_path / "case.yml"
        path.write_text(f"case: example\n{concepts}\nsteps:\n{body}\n{connect}", encoding="utf-8")
        return path

    return write


@pytest.fixture
def load_case(write_case: WriteCase) -> LoadCase:
    """Writes a case and loads it."""

    def load(steps: str, **parts: str) -> CaseProject:
        return miningflow.load(write_case(steps, **parts))

    return load
