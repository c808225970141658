"""The page for people who come from other tools: its examples run, and it names what exists."""

from __future__ import annotations

import contextlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import accepted
from test_docs import ROOT, commands, prose

import miningflow
from miningflow.catalog import installed
from miningflow.cli.commands import app
from miningflow.project import LoadedCase

PAGE = ROOT / "docs" / "coming_from.md"
_YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections() -> dict[str, str]:
    title, *parts = re.split(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert title
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    """Runs all steps of the page as steps of the case that `init` writes."""
    folder = tmp_path_factory.mktemp("coming")
    accepted(folder, "init", "my_project")
    path = folder / "my_project" / "shop.yml"
    written: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for body in _YAML.findall(PAGE.read_text(encoding="utf-8")):
        for part, added in yaml.safe_load(body).items():
            assert not set(added) & set(written[part])
            written[part] |= added
    path.write_text(yaml.safe_dump(written, sort_keys=False), encoding="utf-8")
    loaded = miningflow.load(path)
    loaded.run(test=True)
    return loaded


def test_every_section_has_a_table_and_an_example_that_runs(case: LoadedCase) -> None:
    found = sections()
    assert list(found) == ["KNIME", "dbt", "scikit-learn", "MiningMart"]
    for text in found.values():
        assert text.count("\n| ") > 10
        for body in _YAML.findall(text):
            *_, last = yaml.safe_load(body)["steps"]
            assert case.table(last).num_rows > 0


def test_the_examples_do_what_the_other_tools_do(case: LoadedCase) -> None:
    customers, orders = (case.table(name).to_pandas() for name in ("Customer", "Order"))
    totals = case.table("with_totals").to_pandas().set_index("customer_id")
    expected = orders.groupby("customer_id").amount.agg(["sum", "count"])
    assert totals.total.dropna().to_dict() == pytest.approx(expected["sum"].to_dict())
    assert totals.number[expected.index].tolist() == expected["count"].tolist()
    per_customer = case.table("per_customer").to_pandas().set_index("customer_id")
    assert per_customer.amount_sum.to_dict() == pytest.approx(expected["sum"].to_dict())
    adults = customers[~(customers.age < 18)]
    assert set(case.table("adults").to_pandas().customer_id) == set(adults.customer_id)
    assert case.table("age_groups").to_pandas().age.notna().all()
    assert case.table("age_groups").to_pandas().age_group.nunique() == 4
    assert len(case.selections("best")["best"].kept) == 2


def test_the_python_of_the_page_runs(case: LoadedCase, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = _PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    with contextlib.chdir(case.path.parent):
        exec(compile(code, PAGE.name, "exec"), {})
    assert set(re.findall(r"\w+", capsys.readouterr().out)) < {
        "age",
        "shoe_size",
        "spent",
        "orders",
    }


def test_searches_of_the_page_find_something(tmp_path: Path) -> None:
    found = commands(PAGE.read_text(encoding="utf-8"))
    assert found
    for line in found:
        assert accepted(tmp_path, *shlex.split(line)[1:])


def test_operators_and_commands_that_the_tables_name_exist() -> None:
    catalog = installed()
    verbs = {
        info.name or info.callback.__name__ for info in app.registered_commands if info.callback
    }
    for line in prose(PAGE).splitlines():
        if not line.startswith("| ") or line.startswith("| ---"):
            continue
        here = line.split(" | ")[1]
        for word in re.findall(r"`([A-Z][a-z]\w*|SVM|SVR)`", here):
            assert catalog.find(word), f"{word}: {line}"
        for verb in re.findall(r"`miningflow (\w+)", here):
            assert verb in verbs


def test_the_example_of_miningmart_has_its_names_of_operators() -> None:
    (body,) = _YAML.findall(sections()["MiningMart"])
    assert all(step["operator"] in installed() for step in yaml.safe_load(body)["steps"].values())
