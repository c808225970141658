"""What methods of a loaded case return to people: frames, whole numbers, files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from support.command_line import accepted, miningflow

import miningflow as mf
from miningflow.errors import CompileError, MiningFlowError
from miningflow.project import LoadedCase
from miningflow.run import Report


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parent = tmp_path_factory.mktemp("results")
    accepted(parent, "init", "shop")
    return parent / "shop"


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    with contextlib.chdir(folder):
        return mf.load("shop.yml").run()


@pytest.fixture
def case(folder: Path, report: Report) -> LoadedCase:
    return mf.load(folder / "shop.yml")


def test_a_run_writes_its_sql_where_the_command_line_does(folder: Path, report: Report) -> None:
    assert report.files == {"compiled": "target/shop/compiled", "score": "target/shop/score.sql"}
    written = {p: p.read_text() for p in (folder / "target").rglob("*.sql")}
    assert folder / "target/shop/compiled/scored.sql" in written
    with contextlib.chdir(folder.parent):
        accepted(folder.parent, "run", "shop/shop.yml", "--target", "other")
        mf.load("shop/shop.yml").run(target="third")
    for name in ("other", "third"):
        again = {
            folder / "target" / p.relative_to(folder.parent / name): p.read_text()
            for p in (folder.parent / name).rglob("*.sql")
        }
        assert again == written


def test_counts_are_whole_numbers(case: LoadedCase, report: Report) -> None:
    for row in report.evaluations["quality"]:
        counts = [row["rows"], row["unknown"], row["true_positives"], row["true_negatives"]]
        assert all(type(count) is int for count in counts)
        assert type(row["accuracy"]) is float
    whole = {
        "rows": report.to_frame(),
        "missing": case.stats().to_frame(),
        "distinct_high": case.estimate("scored")["scored"].to_frame(),
        "rows_real": case.estimate().to_frame(),
        "features": case.selections("relevant")["relevant"].to_frame(),
    }
    assert [n for n, frame in whole.items() if not pd.api.types.is_integer_dtype(frame[n])] == []


def test_frames_have_what_the_command_line_prints(case: LoadedCase, report: Report) -> None:
    stages = [stage.name for stage in report.stages]
    assert report.to_frame()["name"].to_list() == stages
    plan = case.plan(to_step="relevant").to_frame().set_index("name")
    assert plan.loc["relevant", "action"] == "reuse"
    features = case.features().to_frame()
    gone = features[(features["concept"] == "scored") & (features["status"] == "deselected")]
    assert set(gone["feature"]) == {d.feature for d in report.dropped}
    assert set(case.features("scored").to_frame()["concept"]) == {"scored"}
    way = case.features("scored.city").to_frame()
    assert way["concept"].iloc[0] == "Customer"
    assert way["concept"].iloc[-1] == "scored"
    statistics = case.stats("Customer", "Order").to_frame()
    assert list(dict.fromkeys(statistics["concept"])) == ["Customer", "Order"]
    assert (
        case.stats("Customer")["Customer"].rows
        == report.to_frame().set_index("name").loc["Customer", "rows"]
    )
    assert not case.impact("Customer.customer_id").to_frame().empty
    assert "SQL" in case.explain().to_frame()["topic"].to_list()
    assert case.test().to_frame().columns.to_list()[:3] == ["kind", "concept", "test"]


def test_scores_go_to_a_table_or_a_file(case: LoadedCase, tmp_path: Path) -> None:
    scores = case.score(keep=["age"])
    assert "age" in scores.column_names
    written = case.score(output=tmp_path / "scores.csv")
    assert (written.rows, written.table) == (scores.num_rows, None)
    assert len(pd.read_csv(tmp_path / "scores.csv")) == scores.num_rows


def test_wrong_words_are_refused_alike(case: LoadedCase, folder: Path) -> None:
    alike: list[tuple[list[str], Callable[[], object]]] = [
        (["show", "shop.yml", "nosuch"], lambda: case.features("nosuch")),
        (["show", "shop.yml", "scored", "--trace"], lambda: case.selections("scored")),
        (["export", "shop.yml", "--to", "nosuch"], lambda: case.export("nosuch")),
        (["compile", "shop.yml", "--dialect", "nosuch"], lambda: case.compile(dialect="nosuch")),
        (["impact", "shop.yml", "Customer.nosuch"], lambda: case.impact("Customer.nosuch")),
    ]
    for words, call in alike:
        with pytest.raises(MiningFlowError) as error:
            call()
        assert miningflow(folder, *words).err.splitlines()[0] == str(error.value).splitlines()[0]


def test_what_has_not_run_cannot_be_plotted(tmp_path: Path) -> None:
    accepted(tmp_path, "init", "shop")
    fresh = mf.load(tmp_path / "shop/shop.yml")
    assert fresh.selections() == {}
    with pytest.raises(MiningFlowError, match="no selection has run yet"):
        fresh.selections("relevant", plot=tmp_path / "a.svg")
    with pytest.raises(CompileError, match="there is no scoring script yet"):
        fresh.compile(score=True)
