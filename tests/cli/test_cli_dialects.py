"""`engines`, and scripts for other databases, printed by the command line and run on real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from support.command_line import accepted, refused
from support.default_run import first_only
from support.printed_engines import Printed, compared_rows, named

import miningflow
from miningflow.compile import Names
from miningflow.errors import MiningFlowError
from miningflow.sql.dialect import DIALECTS, render


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs the project of `init` with a radial kernel, which needs its support vectors."""
    folder = tmp_path_factory.mktemp("printed")
    accepted(folder, "init", "shop")
    case = folder / "shop" / "shop.yml"
    text = case.read_text(encoding="utf-8").replace("kernel: linear", "kernel: radial")
    case.write_text(text, encoding="utf-8")
    accepted(folder / "shop", "run", "shop.yml")
    return folder / "shop"


def test_engines_are_listed(shop: Path) -> None:
    said = accepted(shop, "engines")
    assert all(name in said for name in DIALECTS) and "SQL only" in said
    found: list[dict[str, Any]] = json.loads(accepted(shop, "engines", "--json"))
    assert [each["dialect"] for each in found] == list(DIALECTS)
    assert [each["dialect"] for each in found if each["store"]] == [
        name for name, dialect in DIALECTS.items() if dialect.store
    ]


def test_one_engine_is_told_in_full(shop: Path) -> None:
    said = accepted(shop, "engines", "sqlite")
    assert "no MD5" in said and "RemoveDuplicates" in said and "Tried on SQLite" in said
    assert "Not tried on a real one" in accepted(shop, "engines", "bigquery")
    one = json.loads(accepted(shop, "engines", "mysql", "--json"))
    assert set(one["refused"]) == {"UnionByKey", "SignalToSymbolProcessing"}
    assert "did you mean 'sqlite'" in refused(shop, "engines", "sqlit")


@pytest.mark.parametrize(
    "dialect", first_only((d.name for d in DIALECTS.values() if d.is_checked), 2)
)
def test_it_is_explained_and_printed_for_all(shop: Path, dialect: str) -> None:
    topics = json.loads(accepted(shop, "explain", "shop.yml", "--dialect", dialect, "--json"))
    assert topics["topics"]["SQL"].endswith(f"characters for {dialect}")
    assert topics["topics"]["functions"].startswith(f"none: dialect '{dialect}'")
    script = accepted(shop, "compile", "shop.yml", "--score", "--dialect", dialect)
    assert "support_vectors" not in script, "no table is made that nothing reads"
    assert DIALECTS[dialect].keeping in script
    said = refused(shop, "compile", "shop.yml", "--functions", "--dialect", dialect)
    assert "use the scoring script" in said


def test_every_step_that_is_refused_is_named_with_its_place(shop: Path) -> None:
    text = (shop / "shop.yml").read_text(encoding="utf-8")
    body = "operator: RowSelectionByRandomSampling\n    input: Customer\n    how_many: 3\n"
    one = f"  few:\n    {body}"
    two = one.replace("few", "fewer")
    (shop / "two.yml").write_text(text.replace("steps:\n", f"steps:\n{one}{two}"), encoding="utf-8")
    said = refused(shop, "compile", "two.yml", "--dialect", "sqlite")
    for step in ("few", "fewer", "quality"):  # which tells held-out rows by MD5
        assert f"step '{step}': sqlite has no MD5" in said
    assert said.count("two.yml:") == 3 and "use dialect 'duckdb'" in said
    with pytest.raises(MiningFlowError, match="no dialect 'oracle'"):
        miningflow.load(shop / "shop.yml").compile(score=True, dialect="oracle")


def test_the_scoring_script_gives_what_the_run_gave(shop: Path, printed_for: Printed) -> None:
    sources = {"Customer": "customers", "Order": "orders"}
    for name, file in sources.items():
        frame = pd.read_csv(shop / "data" / f"{file}.csv")
        printed_for.load(frame.astype(object).where(frame.notna(), None), name)
    script = accepted(shop, "compile", "shop.yml", "--score", "--dialect", printed_for.dialect)
    found = printed_for.rows(script.rstrip().removesuffix(";"))
    quote = "`" if printed_for.dialect == "mysql" else '"'
    for name in sources:
        printed_for.execute(f"DROP TABLE {quote}{name}{quote}")
    with duckdb.connect(str(next(shop.glob("*.duckdb"))), read_only=True) as connection:
        shown = ", ".join(f'"{name}"' for name in found.columns)
        expected = connection.sql(f"SELECT {shown} FROM shop_results.scored").df().astype(object)
    assert len(found) > 100 and "loyalty" in found.columns
    assert compared_rows(found) == compared_rows(expected)


def test_the_whole_script_makes_what_the_run_made(shop: Path, printed_for: Printed) -> None:
    dialect = printed_for.dialect
    steps = ["with_orders", "filled", "relevant", "scored", "quality"]
    if dialect == "sqlite":  # which cannot tell held-out rows
        steps.remove("quality")
    else:
        printed_for.execute("CREATE DATABASE shop_results")
    script = "".join(
        accepted(shop, "compile", "shop.yml", step, "--dialect", dialect) for step in steps
    )
    for name, file in {"Customer": "customers", "Order": "orders"}.items():
        frame = pd.read_csv(shop / "data" / f"{file}.csv")
        printed_for.load(frame.astype(object).where(frame.notna(), None), f"loaded {name}")
        source = render(named(f"loaded {name}"), dialect)
        target = render(Names("shop").public(name), dialect)
        printed_for.execute(f"CREATE VIEW {target} AS SELECT * FROM {source}")
    for statement in script.split(";\n"):
        if statement.strip():
            printed_for.execute(statement)
    with duckdb.connect(str(next(shop.glob("*.duckdb"))), read_only=True) as connection:
        for step in steps:
            made = printed_for.rows(f"SELECT * FROM {render(Names('shop').public(step), dialect)}")
            query = f"SELECT * FROM shop_results.{step}"
            expected = connection.sql(query).df()[list(made.columns)].astype(object)
            assert compared_rows(made) == compared_rows(expected), step
    for name in reversed(["Customer", "Order", *steps]):
        kind = "TABLE" if name in ("scored", "quality") else "VIEW"
        printed_for.execute(f"DROP {kind} {render(Names('shop').public(name), dialect)}")
    for name in ("Customer", "Order"):
        printed_for.execute(f"DROP TABLE {render(named(f'loaded {name}'), dialect)}")
    if dialect != "sqlite":
        printed_for.execute("DROP DATABASE shop_results")
