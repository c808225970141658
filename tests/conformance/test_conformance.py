"""What every installed operator must do, checked with its own example."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml
from example_case import OPERATORS, ExampleCase, example_of, renamed
from golden_text import readable

import miningflow
from miningflow import pipeline
from miningflow.compile import Names, Piece
from miningflow.declare import FeatureSelection, Operator
from miningflow.declare.artifact import pack, unpack
from miningflow.declare.operator import Family
from miningflow.describe.script import case_script
from miningflow.errors import RunError
from miningflow.project import CaseProject
from miningflow.run import open_store
from miningflow.run.events import silent
from miningflow.run.training import Training

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
CASES = sorted((ROOT / "cases").glob("*.yml"))
SQL_TYPES = {"numeric": "DOUBLE", "nominal": "VARCHAR", "binary": "VARCHAR", "time": "TIMESTAMP"}

every_operator = pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.__name__)


@dataclass(frozen=True)
class Done:
    """An example that ran, with a model after it if its output can carry one."""

    example: ExampleCase
    case: CaseProject
    folder: Path
    piece: Piece
    has_model: bool


RunExample = Callable[[type[Operator]], Done]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> RunExample:
    """Runs the example of an operator once for all tests of this file."""
    done: dict[str, Done] = {}

    def run(operator: type[Operator]) -> Done:
        if operator.__name__ not in done:
            folder = tmp_path_factory.mktemp(operator.__name__)
            example = example_of(operator)
            has_model = _add_model(example, folder)
            case = example.load(folder)
            case.run()
            piece = pipeline.compile_case(case.project).pieces[example.step]
            done[operator.__name__] = Done(example, case, folder, piece, has_model)
        return done[operator.__name__]

    return run


def _add_model(example: ExampleCase, folder: Path) -> bool:
    """Puts a model after the example; features it needs may come with a join of the customers."""
    output = example.load(folder).project.bound.steps[example.step].output
    known = {"age", "lapsed"} <= set(output.features)
    if output.key is None or not (known or output.key == "customer_id"):
        return False
    before = example.step
    if not known:
        before = "joined"
        concepts = ["Customer", example.step]
        example.steps[before] = {"operator": "JoinByKey", "concepts": concepts}
    example.steps["model"] = {
        "operator": "SupportVectorMachineForClassification",
        "input": before,
        "target": "lapsed",
        "positive": "yes",
        "predictors": ["age"],
        "kernel": "linear",
        "output": "model_value",
    }
    return True


@every_operator
def test_it_explains_itself(operator: type[Operator]) -> None:
    first = operator.doc().split("\n\n")[0]
    assert first.endswith("."), "the docstring starts with a sentence"
    assert operator.__doc__ != operator.__base__.__doc__
    assert operator.family in get_args(Family)
    assert operator.version >= 1
    for parameter in operator.parameters():
        assert parameter.text.strip(), f"parameter {parameter.name!r} has no text"
        assert not parameter.text.endswith("."), "texts of parameters are no sentences"


@every_operator
def test_its_example_checks_without_data(operator: type[Operator], tmp_path: Path) -> None:
    example = example_of(operator)
    assert example.body["operator"] == operator.__name__
    case = example.load(tmp_path)
    for table in tmp_path.glob("*.parquet"):
        table.unlink()
    assert not case.warnings
    assert list(case.project.bound.steps) == list(example.steps)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@every_operator
def test_its_sql_is_golden(
    operator: type[Operator], dialect: str, ran: RunExample, request: pytest.FixtureRequest
) -> None:
    done = ran(operator)
    compiled = pipeline.compile_case(done.case.project)
    sql = readable(case_script(done.case.project.bound, compiled, dialect, step=done.example.step))
    path = GOLDEN / operator.__name__ / f"{dialect}.sql"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sql, encoding="utf-8")
    assert path.exists(), "no golden file: write it with `pytest --update-golden`, and read it"
    assert sql == path.read_text(encoding="utf-8")


def test_there_is_no_golden_file_without_operator() -> None:
    assert {p.name for p in GOLDEN.iterdir()} == {o.__name__ for o in OPERATORS}


@pytest.fixture(scope="module")
def used_operators() -> set[str]:
    return {name for path in CASES for name in _operators_in(yaml.safe_load(path.read_text()))}


def _operators_in(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("operator"), str):
            yield node["operator"]
        for value in node.values():
            yield from _operators_in(value)


@every_operator
def test_a_case_uses_it(operator: type[Operator], used_operators: set[str]) -> None:
    assert operator.__name__ in used_operators, "use it in a case of cases/, where people see it"


@every_operator
def test_its_outline_is_what_it_emits(operator: type[Operator], ran: RunExample) -> None:
    done = ran(operator)
    outline = done.case.project.bound.steps[done.example.step].output.columns
    deselected = done.piece.presence.deselected
    if not issubclass(operator, FeatureSelection):
        assert not deselected
    expected = {name: f.type for name, f in outline.items() if name not in deselected}
    columns = _columns(done.folder, done.example.step)
    assert list(columns) == list(expected)
    for name, sql_type in columns.items():
        if expected[name] != "key":
            assert sql_type == SQL_TYPES[expected[name]], name


def _columns(folder: Path, step: str) -> dict[str, str]:
    with duckdb.connect(str(folder / "store.duckdb"), read_only=True) as connection:
        found = connection.execute(f'DESCRIBE "example_results"."{step}"').fetchall()
    return {row[0]: row[1] for row in found}


@every_operator
def test_it_bears_nulls_everywhere(operator: type[Operator], tmp_path: Path) -> None:
    example = example_of(operator)
    example.data = {
        name: _with_nulls(table, example.concepts[name], lambda row, column: row % 9 == column)
        for name, table in example.data.items()
    }
    case = example.load(tmp_path)
    case.run()
    assert case.table(example.step).num_rows > 0


@every_operator
def test_it_bears_nothing_but_nulls(operator: type[Operator], tmp_path: Path) -> None:
    example = example_of(operator)
    example.data = {
        name: _with_nulls(table, example.concepts[name], lambda row, column: True)
        for name, table in example.data.items()
    }
    _runs_or_explains(example, tmp_path)


def _with_nulls(
    table: pa.Table, concept: dict[str, Any], is_null: Callable[[int, int], bool]
) -> pa.Table:
    columns = {}
    for i, (name, kind) in enumerate(concept["features"].items()):
        mask = pa.array([kind != "key" and is_null(row, i) for row in range(table.num_rows)])
        column = table.column(name).combine_chunks()
        columns[name] = pc.if_else(mask, pa.scalar(None, column.type), column)
    return pa.table(columns)


@every_operator
def test_it_bears_no_rows(operator: type[Operator], tmp_path: Path) -> None:
    example = example_of(operator)
    named = [concept for concept, _ in example.named_concepts() if concept in example.concepts]
    if not named:  # it reads what another step makes
        first = next(iter(example.steps.values()))
        nothing = {"operator": "RowSelectionByQuery", "where": "age < 0", "input": first["input"]}
        example.steps = {"none": nothing, **example.steps}
        first["input"] = "none"
    for i, concept in enumerate(named):
        feature = next(f for f, t in example.concepts[concept]["features"].items() if t != "key")
        example.put_before(
            concept,
            f"none_{i}",
            {
                "operator": "RowSelectionByQuery",
                "where": f"{feature} is null and {feature} is not null",
            },
        )
    if _runs_or_explains(example, tmp_path):
        assert _columns(tmp_path, example.step)


def _runs_or_explains(example: ExampleCase, folder: Path) -> bool:
    """Runs; only learning may refuse, and then says in which step, why and what to do."""
    case = example.load(folder)
    try:
        case.run()
    except RunError as error:
        assert example.operator.learns is not None, "only learning can fail for want of values"
        (mistake,) = error.mistakes
        assert mistake.message.startswith(f"step {example.step!r} cannot learn: ")
        assert mistake.hint
        assert mistake.place is not None
        return False
    return True


# Reserved words, blanks, quotes, unicode, and the names that operators use inside their SQL.
_ODD_FEATURES = {
    "customer_id": "select",
    "age": "größe",
    "income": "order",
    "household": 'quo"te',
    "region": "n",
    "since": "encoded row",
    "lapsed": "part",
    "claim_id": "group",
    "amount": "a b",
    "filed": "-- filed",
    "rated_customer": "table",
    "grade": "it's 100 %",
    "risk": "rank",
    "risk_label": "rows",
    "claim_total": "from",
}
_ODD_CONCEPTS = {
    "Customer": "rows",
    "Claim": 'quo"ted; claim',
    "Rating": "order",
    "Prospect": "naïve -- Größe",
    "Scored": "select",
    "claims_of": "it's a 'relation'",
}


@every_operator
def test_names_may_be_odd(operator: type[Operator], ran: RunExample, tmp_path: Path) -> None:
    plain = ran(operator)
    odd = renamed(
        example_of(operator),
        lambda name: _ODD_CONCEPTS.get(name, f'{name} "%s" ü'),
        lambda name: _ODD_FEATURES.get(name, f'{name} "ü" {{}}'),
    )
    case = odd.load(tmp_path)
    case.run()
    expected = plain.case.table(plain.example.step)
    if operator.family == "patterns":  # what was found is told in words, with names of features
        expected = _with_odd_names(expected)
    assert _sorted_rows(case.table(odd.step)) == _sorted_rows(expected)


def _with_odd_names(table: pa.Table) -> pa.Table:
    def odd(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return re.sub(r"\w+", lambda word: _ODD_FEATURES.get(word[0], word[0]), value)

    return pa.table({n: [odd(v) for v in table.column(n).to_pylist()] for n in table.column_names})


def _sorted_rows(table: pa.Table) -> list[list[Any]]:
    columns = [table.column(i).to_pylist() for i in range(table.num_columns)]
    return sorted((list(row) for row in zip(*columns, strict=True)), key=repr)


@every_operator
def test_what_it_learns_can_be_stored(operator: type[Operator], ran: RunExample) -> None:
    if operator.learns is None:
        assert operator.learn is Operator.learn, "learns without saying what"
        return
    fresh = _learned(ran(operator))
    assert isinstance(fresh, operator.learns)
    stored = pack(fresh)
    again = unpack(operator.learns, *stored)
    assert type(again) is type(fresh)
    assert pack(again) == stored
    assert pack(_learned(ran(operator))) == stored, "learning is not repeatable"
    assert _emitted(ran(operator), again) == _emitted(ran(operator), fresh)


def _learned(done: Done) -> Any:
    project = done.case.project
    step = project.bound.steps[done.example.step]
    source = pipeline.compile_case(project).pieces[step.inputs[0]]
    names = Names(project.bound.name)
    with open_store(project.case, project.connection) as store, store.engine.session() as session:
        rows = Training(
            step.name,
            source.presence.concept,
            source.source(),
            names.public,
            session,
            store.engine.dialect,
            silent,
            threading.Event(),
        )
        return step.operator.learn(rows)


def _emitted(done: Done, artifact: Any) -> str:
    project = done.case.project
    step = project.bound.steps[done.example.step]
    pieces = pipeline.compile_case(project).pieces
    block = step.operator.emit({name: pieces[name].source() for name in step.inputs}, artifact)
    return str(block.select(Names(project.bound.name).public, "duckdb").sql(dialect="duckdb"))


@every_operator
def test_scoring_goes_through_it(operator: type[Operator], ran: RunExample) -> None:
    done = ran(operator)
    if operator.scores:
        step, values = done.example.step, list(done.piece.operator.prediction_features())  # type: ignore[union-attr]  # a step has an operator
    elif done.has_model:
        step, values = "model", ["model_value", "model_value_label"]
    else:
        output = done.case.project.bound.steps[done.example.step].output
        excused = operator.family in ("evaluation", "patterns") or output.key is None
        assert excused, "a model can follow"
        return
    sources = done.case.project.bound.sources
    script = done.case.scoring_sql(step)
    inputs = {name: done.example.data[name] for name in sources if f'FROM "{name}"' in script}
    assert inputs
    scored = done.case.score(inputs, step=step)
    output = done.case.project.bound.steps[step].output
    columns = [output.key, *values, *(s.feature for s in output.segmentations)]
    assert scored.column_names == columns
    published = done.case.table(step).select(columns)
    assert _sorted_rows(scored) == _sorted_rows(published)


def test_the_case_with_the_further_operators_runs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "cases" / "data", tmp_path / "data")
    shutil.copy(ROOT / "cases" / "club.yml", tmp_path)
    case = miningflow.load(tmp_path / "club.yml")
    assert not case.warnings
    report = case.run()
    held_out = {
        name: next(row for row in rows if row["part"] == "held out")
        for name, rows in report.evaluations.items()
    }
    assert held_out["loyalty_error"]["auc"] > 0.8
    spent = case.table("expected").column("spent").to_numpy()
    assert held_out["spending_error"]["root_mean_squared_error"] < spent.std()
