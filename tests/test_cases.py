"""Every case in cases/ is checked and run, and the project of `init` is too."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.ran_cases import CASES, RanCases

from miningflow.declare.estimates import Amount
from miningflow.project import LoadedCase

ROOT = Path(__file__).parent.parent
DATA = ROOT / "cases" / "data"
LONG = {"drugstore", "fields", "genes", "mail", "pharmacy", "sensors", "telecom"}


def _marked(names: Iterable[str]) -> list[Any]:
    return [pytest.param(n, marks=pytest.mark.slow if n in LONG else ()) for n in names]


def test_there_are_cases() -> None:
    assert "insurance" in CASES


@pytest.mark.parametrize("name", _marked(CASES))
def test_a_case_runs_twice(ran_cases: RanCases, name: str) -> None:
    case = ran_cases.case(name)
    assert not [w for w in case.warnings if w.severity == "error"]
    assert case.run().run is None
    assert case.test().passed
    assert "CREATE" in case.compile()
    case.stats()
    _check_bounds(case)
    if case.bound.scoring:
        scored = case.bound.scoring
        scores = case.score()
        assert scores.num_rows == case.table(scored).num_rows
        assert scores.column(1).null_count < scores.num_rows


def _check_bounds(case: LoadedCase) -> None:
    """Compares estimates with what there is: bounds are no guesses."""
    for name, found in case.estimate().items():
        assert found.rows is None or _is_within(found.estimate.rows, found.rows), name
        for feature in found.statistics.features if found.statistics else ():
            estimate = found.estimate.feature(feature.feature)
            assert _is_within(estimate.missing, feature.missing), (name, feature)
            assert _is_within(estimate.distinct, feature.distinct), (name, feature)


def _is_within(amount: Amount, real: float) -> bool:
    return amount.low <= real and (amount.high is None or real <= amount.high)


@pytest.fixture
def insurance(ran_cases: RanCases) -> LoadedCase:
    return ran_cases.case("insurance")


def test_selection_helps_the_insurance(insurance: LoadedCase) -> None:
    report = insurance.run()
    accuracy = {
        name: {row["part"]: row["accuracy"] for row in rows}
        for name, rows in report.evaluations.items()
    }
    assert accuracy["quality"]["held out"] >= accuracy["quality_all"]["held out"]
    assert accuracy["quality"]["held out"] >= 0.80
    dropped = {d.feature for d in report.dropped if d.step == "relevant"}
    assert 13 <= len(dropped) <= 17
    # noise by construction, see data/make_insurance.py
    assert {"weather_index", "traffic_index", "letters_sent"} <= dropped


@pytest.mark.slow
def test_the_pharmacy_finds_what_its_data_were_made_of(ran_cases: RanCases) -> None:
    case = ran_cases.case("pharmacy")
    report = case.run()
    assert case.table("once").num_rows == 1_200  # 40 orders were typed in twice
    found = case.table("age_order")
    places = {"young": 1.0, "middle": 2.0, "old": 3.0}
    groups = found.column("age_group").to_pylist()
    assert found.column("age_order").to_pylist() == [places[group] for group in groups]
    assert set(found.column("district_group").to_pylist()) == {
        "harbour, old town",
        "hill, mill, station",
    }
    assert set(found.column("age_limit").to_pylist()) == {"up to 60.5", "above 60.5"}
    balanced = case.table("balanced").column("delivered").to_pylist()
    assert balanced.count("yes") == balanced.count("no") == 200
    held_out = next(r for r in report.evaluations["delivery_quality"] if r["part"] == "held out")
    assert held_out["auc"] > 0.85


@pytest.mark.parametrize("name", _marked(["club", "fields", "insurance"]))
def test_these_cases_test_themselves(ran_cases: RanCases, name: str) -> None:
    case = ran_cases.case(name)
    report = case.test(unit=True)
    assert len(report.unit) >= 2
    assert report.passed
    assert case.bound.data_tests


@pytest.fixture
def telecom(ran_cases: RanCases) -> LoadedCase:
    return ran_cases.case("telecom")


@pytest.mark.slow
def test_the_telecom_finds_what_its_data_were_made_of(telecom: LoadedCase) -> None:
    report = telecom.run()
    dropped = {d.feature for d in report.dropped}
    # see data/make_telecom.py
    assert {"age", "region", "payment", "letters", "hotline_calls", "service_fees"} <= dropped
    assert not {"fading", "last_bill_above", "services", "flat"} & dropped
    held_out = next(r for r in report.evaluations["quality"] if r["part"] == "held out")
    assert held_out["auc"] > 0.85
    months = telecom.table("by_month").to_pandas()
    months["mean"] = months["minutes_sum"] / months["customers"]
    mean = months.set_index(["churned", "month"])["mean"]
    assert mean["yes", 12] < 0.75 * mean["yes", 7]
    assert 0.95 < mean["no", 12] / mean["no", 7] < 1.1


@pytest.mark.slow
def test_the_profiles_of_the_telecom_are_those_of_pandas(telecom: LoadedCase) -> None:
    found = telecom.table("profile").to_pandas().set_index("customer_id").sort_index()
    customers = pd.read_parquet(DATA / "telecom_customers.parquet").set_index("customer_id")
    assert list(found.index) == list(customers.index)  # no row was lost or repeated on the way
    calls = pd.read_parquet(DATA / "telecom_calls.parquet")
    minutes = calls.pivot_table(
        values="minutes", index="customer_id", columns=calls["started"].dt.month, aggfunc="sum"
    )
    minutes = minutes.reindex(customers.index).fillna(0)
    assert (minutes.sum(axis=1) == 0).any()  # somebody never telephoned
    for month in range(7, 13):
        assert list(found[f"minutes_{month}"]) == list(minutes[month])
    subscriptions = pd.read_csv(DATA / "telecom_subscriptions.csv")
    services = pd.read_csv(DATA / "telecom_services.csv")
    both = subscriptions.merge(services, on="service_id").groupby("customer_id")["fee"]
    assert list(found["services"]) == list(both.size().reindex(found.index).fillna(0))
    fees = both.sum().reindex(found.index).fillna(0)
    assert found["service_fees"].to_numpy() == pytest.approx(fees.to_numpy())
    tariffs = pd.read_csv(DATA / "telecom_tariffs.csv").set_index("tariff_id")
    assert list(found["flat"]) == list(customers["tariff_id"].map(tariffs["flat"]))


@pytest.mark.slow
def test_the_telecom_hands_over_whom_to_ring_up(telecom: LoadedCase) -> None:
    path = telecom.path.parent / "target/telecom/export/to_ring_up.csv"
    written = pd.read_csv(path)
    scored = telecom.table("scored").to_pandas()
    expected = scored[(scored["risk"] > 0) & (scored["churned"] == "no")].sort_values("customer_id")
    assert list(written["customer_id"]) == list(expected["customer_id"])
    assert written["risk"].to_numpy() == pytest.approx(expected["risk"].to_numpy())


@pytest.mark.slow
def test_the_drugstore_finds_what_its_data_were_made_of(ran_cases: RanCases) -> None:
    case = ran_cases.case("drugstore")
    report = case.run()
    phases = case.table("phases").to_pandas()
    dug_up = pd.Timestamp(2025, 6, 2)
    all_year = phases[phases["item"].isin(["shampoo", "soap", "toothpaste"])]
    falling = all_year[(all_year["phase"] == "falling")]
    near = falling[(falling["week"] - dug_up).abs() <= pd.Timedelta(weeks=2)]
    assert sorted(zip(near["shop"], near["item"], strict=True)) == [
        ("harbour", "shampoo"),
        ("harbour", "soap"),
        ("harbour", "toothpaste"),
    ]
    error = {name: rows[0]["mean_absolute_error"] for name, rows in report.evaluations.items()}
    assert error["machine_error"] < 0.8 * error["simple_error"]
    assert error["tree_error"] < 0.85 * error["simple_error"]
    # the weather is the same everywhere, so other rows of a week know it
    sales, told = case.table("Sale").to_pandas(), case.table("weather_known").to_pandas()
    known = sales.groupby("week")["weather"].agg(lambda w: w.dropna().iloc[0])
    filled = told[told["sale_id"].isin(sales["sale_id"][sales["weather"].isna()])]
    assert len(filled) > 300
    assert (filled["weather"] == filled["week"].map(known)).mean() > 0.75


def test_the_basket_finds_what_its_data_were_made_of(ran_cases: RanCases) -> None:
    case = ran_cases.case("basket")
    case.run()
    found = case.table("rules").to_pandas().set_index(["antecedent", "consequent"])
    for habit, share in (
        (("pasta, tomatoes", "basil"), 0.8),
        (("charcoal", "sausages"), 0.75),
        (("tea", "honey"), 0.5),
    ):
        assert found.loc[habit, "confidence"] == pytest.approx(share, abs=0.12)
        assert found.loc[habit, "lift"] > 2
    groups = case.table("who").to_pandas().sort_values("subgroup")["description"].tolist()
    assert groups[0] == "age ≤ 30 and quarter = university"
    assert "quarter = station and hour > 15" in groups[:4]
    told = case.table("organic_rules").to_pandas()
    young = (told["age"] < 35) & (told["quarter"] == "university")
    assert set(told["foreseen"][young]) == {"yes"}
    assert set(told["foreseen"][~young & told["age"].notna()]) == {"no"}


def test_makefile_has_the_two_commands() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = dict(re.findall(r"^([\w-]+):[^\n]*\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE))
    assert "miningflow run cases/insurance.yml" in targets["demo"]
    assert "$(PYTEST)" in targets["test"]
    assert re.search(r"^PYTEST = .*-m pytest ", makefile, re.MULTILINE)
    for tool in ("ruff check", "ruff format --check", "mypy", "lint-imports"):
        assert tool in targets["test"]


def miningflow_in(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "miningflow", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_first_project_runs(tmp_path: Path) -> None:
    miningflow_in(tmp_path, "init", "shop")
    shop = tmp_path / "shop"
    assert (shop / ".gitignore").exists()
    assert (shop / "miningflow.schema.json").exists()
    assert "held out" in miningflow_in(shop, "run", "shop.yml")
    assert "0 of " in miningflow_in(shop, "run", "shop.yml")
    assert (shop / "target/shop/score.sql").exists()
    assert (shop / "shop.duckdb").exists()
    again = subprocess.run(
        [sys.executable, "-m", "miningflow", "init", "shop"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 1
    assert "not empty" in again.stderr


@pytest.mark.slow
def test_every_soil_of_the_fields_has_a_machine_of_its_own(ran_cases: RanCases) -> None:
    case = ran_cases.case("fields")
    report = case.run()
    accuracy = {
        name: next(row["accuracy"] for row in rows if row["part"] == "held out")
        for name, rows in report.evaluations.items()
    }
    assert accuracy["quality_of_one"] < 0.65
    assert accuracy["quality"] > 0.85
    dropped: dict[str, set[str]] = {}
    for entry in report.dropped:
        if entry.step == "relevant":
            dropped.setdefault(entry.reason.partition(":")[0], set()).add(entry.feature)
    everything = {"rain", "nitrogen", "drainage", "acidity", "stones", "slope"}
    kept = {segment: everything - features for segment, features in dropped.items()}
    assert kept["segment 'sand'"] == {"rain", "nitrogen"}
    assert kept["segment 'clay'"] == {"rain", "drainage"}
    assert kept["segment 'loam'"] == {"acidity"}
    regions = {row["region"] for row in report.evaluations["quality_by_region"]}
    assert regions == {"1", "2", "3"}  # coast, plain and hills


def test_the_case_with_the_further_operators_runs(ran_cases: RanCases) -> None:
    case = ran_cases.case("club")
    assert not case.warnings
    report = case.run()
    held_out = {
        name: next(row for row in rows if row["part"] == "held out")
        for name, rows in report.evaluations.items()
    }
    assert held_out["loyalty_error"]["auc"] > 0.8
    spent = case.table("expected").column("spent").to_numpy()
    assert held_out["spending_error"]["root_mean_squared_error"] < spent.std()


@pytest.mark.slow
def test_the_case_of_the_sensors_shows_what_each_is_good_for(ran_cases: RanCases) -> None:
    case = ran_cases.case("sensors")
    assert not case.warnings
    report = case.run()
    kept = {name: set(s.kept) for name, s in case.selections().items()}
    telling = ("temperature", "vibration")
    assert kept["kits"] == {f"{kind}_{i}" for kind in telling for i in (1, 2, 3, 4)}
    for step in ("bred", "bred_without_repeats", "aligned"):
        assert kept[step] == {"speed", "load"}, step
    assert not {"speed", "load"} <= kept["stepwise"]
    assert kept["spread"] == {"clock"}
    accuracy = {
        name: next(row["accuracy"] for row in rows if row["part"] == "held out")
        for name, rows in report.evaluations.items()
    }
    assert accuracy["jam_quality"] > 0.8
    assert accuracy["jam_quality_stepwise"] < 0.6
