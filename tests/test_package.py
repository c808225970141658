"""The package holds what it should, and says of itself what is true."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import miningflow

ROOT = Path(__file__).parent.parent


def listed() -> list[str]:
    text = (ROOT / "pyproject.toml").read_text()
    packages: list[str] = tomllib.loads(text)["tool"]["setuptools"]["packages"]
    return packages


def test_every_folder_with_code_is_listed() -> None:
    folders = {file.parent for file in (ROOT / "miningflow").rglob("*.py")}
    found = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert found | {"miningflow_operators"} == set(listed())
    assert not [p for p in (ROOT / "operators").iterdir() if p.is_dir() and p.name[0] not in "_."]


def test_the_readme_of_the_package_has_no_relative_links() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / project["readme"]).read_text())
    assert [link for link in links if "://" not in link] == []


def test_the_version_is_the_newest_of_the_changelog() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert re.fullmatch(rf"{re.escape(miningflow.__version__)} \(\d{{4}}-\d\d-\d\d\)", released[0])
    assert "Unreleased" not in headings[1:]


@pytest.mark.slow
def test_the_wheel(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "docs").mkdir()
    for name in ("pyproject.toml", "LICENSE", "docs/package_readme.md"):
        shutil.copy(ROOT / name, copy / name)
    for name in ("miningflow", "operators"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(tmp_path)]
    subprocess.run([*command, str(copy)], check=True)
    (wheel,) = tmp_path.glob("miningflow-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (points,) = [n for n in names if n.endswith("entry_points.txt")]
        entry_points = archive.read(points).decode()
    for package in listed():
        assert f"{package.replace('.', '/')}/__init__.py" in names
    for folder, name in (("miningflow", "miningflow"), ("operators", "miningflow_operators")):
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                assert f"{name}/{file.relative_to(ROOT / folder)}" in names, file
    assert {"miningflow/py.typed", "miningflow/cli/template/gitignore"} <= names
    assert any(n.startswith("miningflow/cli/template/data/") for n in names)
    assert "miningflow_operators:OPERATORS" in entry_points
    assert "miningflow.cli.main:main" in entry_points
    assert any(n.endswith("licenses/LICENSE") for n in names)
    assert not [n for n in names if n.startswith(("tests", "benchmarks", "operators/", "cases"))]
