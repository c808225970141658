"""Nothing is learned from rows that are held out, however far a step is from their source."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from conftest import WriteCase
from support.stores import HELD_OUT, TWO_FILES, artifacts, change, query

import miningflow

ROWS = 90

# Every operator that learns, behind every operator that moves rows about.
STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_total: sum(amount), claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income, materialize: view}
total: {operator: AssignAverageValue, input: filled, target: claim_total}
region: {operator: AssignModalValue, input: total, target: region}
scaled: {operator: LinearScaling, input: region, target: income}
binned:
  operator: EquidistantDiscretizationGivenNoOfIntervals
  input: scaled
  target: age
  intervals: 4
  output: age_group
constructed:
  operator: GenericFeatureConstruction
  input: binned
  sql: income * household
  output: wealth
young: {operator: RowSelectionByQuery, input: constructed, where: age < 50}
old: {operator: RowSelectionByQuery, input: constructed, where: age >= 50}
all_ages: {operator: Union, concepts: [young, old]}
slim: {operator: FeatureSelectionByAttributes, input: all_ages, drop: [wealth]}
relevant:
  operator: FeatureSelectionWithSVM
  input: slim
  target: lapsed
  positive: 'yes'
  attributes: [age, income, household, claim_total, region]
  nulls: drop_rows
predicted:
  operator: SupportVectorMachineForClassification
  input: slim
  target: lapsed
  positive: 'yes'
  predictors: [age, income, household, claim_count, age_group]
  kernel: radial
  output: risk
estimated:
  operator: SupportVectorMachineForRegression
  input: slim
  target: income
  predictors: [age, household]
  kernel: linear
  output: guess
joined: {operator: JoinByKey, concepts: [estimated, Rating], rename: {Rating.grade: grade}}
grade: {operator: AssignModalValue, input: joined, target: grade}
claims: {operator: LinearScaling, input: Claim, target: amount}
prospects: {operator: AssignAverageValue, input: Prospect, target: income, learn_on: slim}
dated: {operator: DateToNumeric, input: Claim, target: filed, part: month, output: month}
monthly:
  operator: Pivotize
  input: dated
  index: {month: [1, 2, 3]}
  values: [amount]
  group_by: [customer_id]
either: {operator: UnionByKey, concepts: [Rating, monthly]}
either_mean: {operator: AssignAverageValue, input: either, target: amount_1}
long: {operator: ReversePivotize, input: monthly, columns: ['amount_*'], index: m, value: amount}
long_mean: {operator: AssignAverageValue, input: long, target: amount}
sums: {operator: SpecifiedStatistics, input: Claim, sum: [amount], group_by: [customer_id]}
kept: {operator: Materialize, input: sums}
sums_mean: {operator: AssignAverageValue, input: kept, target: amount_sum}
owners:
  operator: MultiRelationalFeatureConstruction
  input: Claim
  relations: [claims_of]
  features: {Customer.age: owner_age}
owners_mean: {operator: AssignAverageValue, input: owners, target: owner_age}
owned:
  operator: MultiRelationalFeatureConstruction
  input: Customer
  relations: [claims_of]
  features: [Claim.amount]
  rows: multiply
owned_mean: {operator: AssignAverageValue, input: owned, target: amount}
"""
PEOPLE = (
    "{customer_id: key, age: numeric, income: numeric, household: numeric, "
    "region: nominal, lapsed: binary}"
)
CONCEPTS = HELD_OUT.replace(
    "\nrelations:",
    "  Rating: {key: rated_customer, features: {rated_customer: key, grade: nominal}}\n"
    f"  Prospect: {{key: customer_id, features: {PEOPLE}}}\n\nrelations:",
)
CONNECT = (
    f"{TWO_FILES}    Rating: {{file: Rating.parquet}}\n    Prospect: {{file: Prospect.parquet}}\n"
)
LEARNED = {
    "filled", "total", "region", "scaled", "binned", "slim", "relevant", "predicted", "estimated",
    "grade", "claims", "prospects", "either_mean", "long_mean", "sums_mean", "owners_mean",
    "owned_mean",
}  # fmt: skip


def held_out(key: int) -> bool:
    """Says which customers are held out, as the documentation does: by MD5 of key and seed."""
    threshold = format(round(0.3 * 16**8), "08x")
    return hashlib.md5(f"{key}:1".encode()).hexdigest() < threshold


def people(seed: int = 0) -> dict[str, pa.Table]:
    rng = np.random.default_rng(seed)
    ids = np.arange(1, ROWS + 1)
    age = rng.integers(18, 90, ROWS).astype(float)
    household = rng.integers(1, 6, ROWS).astype(float)
    income = rng.normal(40_000, 12_000, ROWS).round()
    customers = {
        "customer_id": ids,
        "age": age,
        "income": pa.array(income, mask=rng.random(ROWS) < 0.1),
        "household": household,
        "region": pa.array(rng.choice(["north", "south", "east"], ROWS), mask=ids % 11 == 5),
        "lapsed": np.where(age / 30 - household + rng.normal(0, 0.7, ROWS) > -0.5, "yes", "no"),
    }
    claims = {
        "claim_id": np.arange(1, 2 * ROWS + 1),
        "customer_id": rng.integers(1, ROWS + 1, 2 * ROWS),
        "amount": rng.gamma(2.0, 100.0, 2 * ROWS).round(2),
        "filed": np.datetime64("2025-01-01", "s") + rng.integers(0, 10**7, 2 * ROWS),
    }
    ratings = {"rated_customer": ids, "grade": rng.choice(["A", "B"], ROWS)}
    prospects = {**customers, "customer_id": ids + 1000}
    return {
        "Customer": pa.table(customers),
        "Claim": pa.table(claims),
        "Rating": pa.table(ratings),
        "Prospect": pa.table(prospects),
    }


def changed(data: dict[str, pa.Table], of: Callable[[int], bool], seed: int) -> dict[str, pa.Table]:
    """Changes everything but keys, in the rows of some customers only."""
    rng = np.random.default_rng(seed)
    found = dict(data)
    for name, key in (("Customer", "customer_id"), ("Claim", "customer_id"),
                      ("Rating", "rated_customer")):  # fmt: skip
        table = data[name]
        hit = np.array([of(k) for k in table[key].to_pylist()])
        columns = {}
        for column in table.column_names:
            values = table[column].to_pylist()
            if column not in ("customer_id", "claim_id", "rated_customer", "filed"):
                values = [
                    _other(v, column, rng) if h else v for v, h in zip(values, hit, strict=True)
                ]
            columns[column] = pa.array(values, table.schema.field(column).type)
        found[name] = pa.table(columns)
    return found


def _other(value: object, column: str, rng: np.random.Generator) -> object:
    if column == "lapsed":
        return rng.choice(["yes", "no"]).item()
    if rng.random() < 0.1:
        return None
    if column in ("region", "grade"):
        return rng.choice(["north", "west", "Z"]).item()
    return float(rng.choice([-1e6, 0.0, 1e6, rng.normal() * 1e5]))


@pytest.fixture
def learned(write_case: WriteCase, tmp_path: Path) -> Callable[..., dict[str, tuple[object, ...]]]:
    """Runs the case on some data and returns what it learned."""

    def run(data: dict[str, pa.Table], steps: str = STEPS) -> dict[str, tuple[object, ...]]:
        case = write_case(steps, concepts=CONCEPTS, connect=CONNECT)
        for name, table in data.items():
            pq.write_table(table, tmp_path / f"{name}.parquet")
        miningflow.load(case).run()
        return artifacts(tmp_path / "store.duckdb")

    return run


Learned = Callable[..., dict[str, tuple[object, ...]]]


def test_the_share_is_held_out() -> None:
    assert 0.28 < np.mean([held_out(k) for k in range(5000)]) < 0.32
    assert sum(held_out(k) for k in range(1, ROWS + 1)) > 10


@pytest.mark.slow
def test_held_out_rows_teach_nothing(learned: Learned) -> None:
    data = people()
    before = learned(data)
    assert set(before) == LEARNED
    for seed in (1, 2, 3):
        after = learned(changed(data, held_out, seed))
        assert {n for n in LEARNED if after[n] != before[n]} == set()


@pytest.mark.slow
def test_other_rows_teach(learned: Learned) -> None:
    data = people()
    before = learned(data)
    after = learned(changed(data, lambda key: not held_out(key), 1))
    # `slim` is selected by hand
    assert {n for n in LEARNED if after[n] == before[n]} == {"slim"}


def test_a_copy_of_the_label_in_held_out_rows_only(learned: Learned) -> None:
    steps = """
        relevant:
          operator: FeatureSelectionWithSVM
          input: Customer
          target: lapsed
          positive: 'yes'
          attributes: [age, household, income]
          nulls: drop_rows
    """
    data = people()
    before = learned(data, steps)
    table = data["Customer"]
    leaked = [
        (1e6 if label == "yes" else -1e6) if held_out(key) else income
        for key, label, income in zip(
            *(table[c].to_pylist() for c in ("customer_id", "lapsed", "income")), strict=True
        )
    ]
    data["Customer"] = table.set_column(2, "income", pa.array(leaked, pa.float64()))
    assert learned(data, steps) == before


def test_an_outlier_counts_where_it_is_learned_from(learned: Learned) -> None:
    steps = "scaled: {operator: LinearScaling, input: Claim, target: amount}"
    data = people()
    before = learned(data, steps)
    keys = data["Claim"]["customer_id"].to_pylist()
    for wanted in (True, False):
        row = next(i for i, key in enumerate(keys) if held_out(key) == wanted)
        amounts = data["Claim"]["amount"].to_pylist()
        amounts[row] = 1e9
        table = data["Claim"].set_column(2, "amount", pa.array(amounts))
        after = learned({**data, "Claim": table}, steps)
        assert (after == before) == wanted


def test_learn_on_learns_there_and_applies_here(write_case: WriteCase, tmp_path: Path) -> None:
    case = write_case(
        """
        few: {operator: RowSelectionByQuery, input: Customer, where: age > 60}
        filled:
          operator: AssignAverageValue
          input: Prospect
          target: income
          learn_on: few
        """,
        concepts=CONCEPTS,
        connect=CONNECT,
    )
    data = people()
    for name, table in data.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    miningflow.load(case).run()
    rows = data["Customer"].select(["customer_id", "age", "income"]).to_pylist()
    used = [
        r["income"]
        for r in rows
        if r["age"] > 60 and r["income"] is not None and not held_out(r["customer_id"])
    ]
    store = tmp_path / "store.duckdb"
    filled = query(
        store,
        "SELECT f.income FROM example_results.filled f JOIN example_results.Prospect p "
        "USING (customer_id) WHERE p.income IS NULL",
    )
    assert len(filled) > 3
    assert {value for (value,) in filled} == {filled[0][0]}
    assert filled[0][0] == pytest.approx(np.mean(used), rel=1e-12)
    assert query(store, "SELECT count(*) FROM example_results.filled") == [(ROWS,)]


def test_the_same_rows_from_every_kind_of_source(write_case: WriteCase, tmp_path: Path) -> None:
    steps = """
        filled: {operator: AssignAverageValue, input: Customer, target: income}
        mode: {operator: AssignModalValue, input: Customer, target: region}
    """
    data = people()
    pc.write_csv(data["Customer"], tmp_path / "Customer.csv")
    found = []
    for source in ("{file: Customer.parquet}", "{file: Customer.csv}", "{table: customers}"):
        connect = CONNECT.replace("Customer: {file: Customer.parquet}", f"Customer: {source}")
        case = write_case(steps, concepts=CONCEPTS, connect=connect)
        for name, table in data.items():
            pq.write_table(table, tmp_path / f"{name}.parquet")
        store = tmp_path / "store.duckdb"
        if "table" in source:
            change(store, f"CREATE TABLE customers AS FROM '{tmp_path}/Customer.parquet'")
        miningflow.load(case).run(full=True)
        found.append(artifacts(store))
    assert found[0] == found[1] == found[2]
    assert set(found[0]) == {"filled", "mode"}


def test_evaluation_tells_the_parts_apart(write_case: WriteCase, tmp_path: Path) -> None:
    steps = STEPS + (
        "quality: {operator: ComputeSVMError, input: predicted, actual: lapsed, "
        "predicted: risk_label}\n"
    )
    case = write_case(steps, concepts=CONCEPTS, connect=CONNECT)
    for name, table in people().items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    report = miningflow.load(case).run()
    rows = {row["part"]: row["rows"] for row in report.evaluations["quality"]}
    held = sum(held_out(k) for k in range(1, ROWS + 1))
    assert rows == {"held out": held, "learned": ROWS - held}
