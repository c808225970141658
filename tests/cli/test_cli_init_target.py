"""`init --from … --target` drafts a complete first case, which runs and beats its baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from support.command_line import accepted, refused

import miningflow

N = 600


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Writes customers and their orders; who ordered little, or is dissatisfied, lapses."""
    folder = tmp_path_factory.mktemp("shop")
    random = np.random.default_rng(5)
    orders = random.poisson(3, N)
    mood = random.choice(["low", "medium", "high"], N)
    lapsed = (orders + 2 * (mood == "high") + random.normal(0, 1, N)) < 3
    age = random.normal(40, 10, N).round()
    age[::9] = np.nan
    customers = pd.DataFrame(
        {
            "customer_id": np.arange(N) + 1000,
            "age": age,
            "mood": mood,
            "city": random.choice(["Bonn", "Kiel", "Ulm", "Jena"], N, p=[0.6, 0.37, 0.02, 0.01]),
            "wealth": random.lognormal(3, 2, N),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, N), "D"),
            "comment": [f"note {i}" for i in range(N)],
            "always": "x",
            "farewell": np.where(lapsed, "sent", "none"),
            "ended": [pd.Timestamp("2024-05-01") if gone else None for gone in lapsed],
            "lapsed": np.where(lapsed, "yes", "no"),
        }
    )
    customers.to_csv(folder / "customers.csv", index=False)
    buyers = np.repeat(customers["customer_id"].to_numpy(), orders)
    pd.DataFrame(
        {
            "order_id": np.arange(len(buyers)),
            "customer_id": buyers,
            "amount": random.lognormal(2, 1, len(buyers)),
            "kind": random.choice(["web", "shop"], len(buyers)),
        }
    ).to_parquet(folder / "orders.parquet")
    return folder


def operators(case: dict[str, Any]) -> list[str]:
    return [step["operator"] for step in case["steps"].values()]


def test_a_complete_first_case(shop: Path) -> None:
    said = accepted(
        shop, "init", "mine", "--from", "customers.csv", "orders.parquet", "--target", "lapsed"
    )
    assert "farewell is left out: each of its values belongs to one class" in said
    text = (shop / "mine" / "mine.yml").read_text()
    case = yaml.safe_load(text)
    assert operators(case) == [
        "AggregateByRelation",
        "AssignDefaultValue",
        "AssignMedianValue",
        "GenericFeatureConstruction",  # dates
        "GenericFeatureConstruction",  # gaps
        "AssignMedianValue",
        "OrdinalEncoding",
        "GroupingGivenMinCardinality",
        "GenericFeatureConstruction",  # logarithms
        "FeatureSelectionWithSVM",
        "SupportVectorMachineForClassification",
        "ComputeSVMError",
        "GenericFeatureConstruction",  # guess
        "ComputeSVMError",
    ]
    scored = case["steps"]["scored"]
    assert scored["positive"] == "yes"
    left_out = {"farewell", "ended", "days_since_ended", "comment", "always", "lapsed"}
    assert not left_out & set(scored["predictors"])
    assert {"orders", "order_amount_sum", "days_since_since", "age_missing"} <= set(
        scored["predictors"]
    )
    assert case["steps"]["mood_ordered"]["categories"] == ["low", "medium", "high"]
    assert "gives the target away: it is missing for one class" in text
    accepted(shop / "mine", "run", "mine.yml")
    found = miningflow.load(shop / "mine" / "mine.yml").run(target=shop / "target").evaluations
    quality, baseline = ({e["part"]: e for e in found[s]} for s in ("quality", "baseline"))
    assert quality["held out"]["auc"] > 0.8
    assert quality["held out"]["accuracy"] > baseline["held out"]["accuracy"] + 0.05
    new = "customer_id,age,mood,city,wealth,since\n5000,,high,Rome,7,2021-01-01\n"
    (shop / "mine" / "new.csv").write_text(new)
    assert accepted(shop / "mine", "score", "mine.yml", "--input", "Customer=new.csv")


def test_every_step_says_why(shop: Path) -> None:
    started = miningflow.start(
        {"Client": shop / "customers.csv"}, shop / "client", target="Client.lapsed", positive="no"
    )
    lines = started.text.splitlines()
    steps = yaml.safe_load(started.text)["steps"]
    for name in steps:
        above = lines[lines.index(f"  {name}:") - 1]
        assert above.startswith("  # "), name
    assert steps["scored"]["positive"] == "no"


def test_a_number(shop: Path) -> None:
    started = miningflow.start(shop / "customers.csv", shop / "number", target="age")
    case = miningflow.load(started.path)
    report = case.run(target=shop / "target")
    assert set(report.evaluations["quality"][0]) >= {
        "root_mean_squared_error",
        "mean_absolute_error",
    }
    assert yaml.safe_load(started.text)["steps"]["scored"]["operator"].endswith("ForRegression")


def test_several_classes(shop: Path) -> None:
    started = miningflow.start(shop / "customers.csv", shop / "classes", target="mood")
    steps = yaml.safe_load(started.text)["steps"]
    assert "positive" not in steps["scored"]
    assert set(steps["scored"]["classes"]) == {"low", "medium", "high"}
    miningflow.load(started.path).run(target=shop / "target")


def test_a_rare_class_is_learned_from_as_many_of_each(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=2000)
    frame = pd.DataFrame({"x": x, "z": random.normal(size=2000), "w": random.normal(size=2000)})
    frame["fraud"] = np.where(x + random.normal(0, 0.5, 2000) > 2, "yes", "no")
    frame.to_parquet(tmp_path / "payments.parquet")
    started = miningflow.start(tmp_path / "payments.parquet", tmp_path / "a", target="fraud")
    steps = yaml.safe_load(started.text)["steps"]
    assert steps["scored"]["learn_on"] == "balanced"
    report = miningflow.load(started.path).run(target=tmp_path / "target")
    quality = {each["part"]: each for each in report.evaluations["quality"]}
    assert quality["held out"]["recall"] > 0.8


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (("lapst",), "did you mean 'lapsed'?"),
        (("Customer.lapst",), "Customer has no column 'lapst'"),
        (("customer_id",), "2 tables have a column 'customer_id'"),
        (("Customer.customer_id",), "a different value in nearly every row"),
        (("comment",), "a different value in nearly every row"),
        (("always",), "has one value only: x"),
        (("since",), "neither a number nor a class"),
        (("lapsed", "--positive", "maybe"), "has no value 'maybe'"),
        (("mood", "--positive", "low"), "has 3 classes, not two"),
        (("age", "--positive", "40"), "is a number and has no class '40'"),
    ],
)
def test_wrong_targets(shop: Path, target: tuple[str, ...], said: str) -> None:
    words = ("init", "wrong", "--from", "customers.csv", "orders.parquet", "--target", *target)
    assert said in refused(shop, *words)
    assert not (shop / "wrong").exists()


def test_a_target_needs_a_source(tmp_path: Path) -> None:
    assert "need --from" in refused(tmp_path, "init", "a", "--target", "x", code=2)
