"""What every installed operator must do, checked with its own example."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml
from sqlglot import exp
from support.example_case import OPERATORS, ExampleCase, example_of, renamed
from support.golden_text import readable
from support.joined_examples import Ran, chosen, run_joined, table

from miningflow import pipeline
from miningflow.catalog import installed
from miningflow.compile import Compiled, Names, Piece
from miningflow.declare import FeatureSelection, LearningError, Operator
from miningflow.declare.artifact import pack, unpack
from miningflow.declare.operator import Family
from miningflow.describe.script import case_script
from miningflow.errors import RunError
from miningflow.project import LoadedCase
from miningflow.run.events import silent
from miningflow.run.learning import learn_from
from miningflow.run.training_rows import Training
from miningflow.sql.block import over
from miningflow.sql.conditions import when
from miningflow.sql.literals import column
from miningflow.store.opening import open_store

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
CASES = sorted((ROOT / "cases").glob("*.yml"))
SQL_TYPES = {"numeric": "DOUBLE", "nominal": "VARCHAR", "binary": "VARCHAR", "time": "TIMESTAMP"}

every_operator = pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.__name__)


@dataclass(frozen=True)
class Done:
    """An example that ran, with a model after it if its output can carry one."""

    example: ExampleCase
    case: LoadedCase
    folder: Path
    compiled: Compiled
    model: str

    @property
    def piece(self) -> Piece:
        """Returns what the example step compiled to."""
        return self.compiled.pieces[self.example.step]


RunExample = Callable[[type[Operator]], Done]
RanExamples = dict[str, Ran]


@pytest.fixture(scope="module")
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunExample:
    """Runs the examples once for all tests of this file."""
    examples = [example_of(operator) for operator in chosen(request)]
    models = {e.operator.__name__: _add_model(e, tmp_path_factory.mktemp("one")) for e in examples}
    found = run_joined(examples, lambda: tmp_path_factory.mktemp("ran"))
    cases = {ran.folder: ran.case for ran in found.values()}
    compiled = {f: pipeline.compile_case(c.bound, c.connection) for f, c in cases.items()}

    def done(operator: type[Operator]) -> Done:
        ran, model = found[operator.__name__], models[operator.__name__]
        return Done(ran.example, ran.case, ran.folder, compiled[ran.folder], model)

    return done


def _add_model(example: ExampleCase, folder: Path) -> str:
    """Puts a model after the example; features it needs may come with a join of the customers."""
    output = example.load(folder).bound.steps[example.step].output
    known = {"age", "lapsed"} <= set(output.features)
    if output.key is None or not (known or output.key == "customer_id"):
        return ""
    before = example.step
    if not known:
        before = f"{example.operator.__name__} joined"
        concepts = ["Customer", example.step]
        example.steps[before] = {"operator": "JoinByKey", "concepts": concepts}
    model = f"{example.operator.__name__} model"
    example.steps[model] = {
        "operator": "SupportVectorMachineForClassification",
        "input": before,
        "target": "lapsed",
        "positive": "yes",
        "predictors": ["age"],
        "kernel": "linear",
        "output": "model_value",
    }
    return model


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
    for file in tmp_path.glob("*.parquet"):
        file.unlink()
    assert not case.warnings
    assert list(case.bound.steps) == list(example.steps)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@every_operator
def test_its_sql_is_golden(
    operator: type[Operator], dialect: str, ran: RunExample, request: pytest.FixtureRequest
) -> None:
    done = ran(operator)
    bound, step = done.case.bound, done.example.step
    sql = readable(case_script(bound, done.compiled, dialect, step=step))
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
    outline = done.case.bound.steps[done.example.step].output.columns
    deselected = done.piece.presence.deselected
    if not issubclass(operator, FeatureSelection):
        assert not deselected
    expected = {name: f.type for name, f in outline.items() if name not in deselected}
    columns = _columns(done)
    assert list(columns) == list(expected)
    for name, sql_type in columns.items():
        if expected[name] != "key":
            assert sql_type == SQL_TYPES[expected[name]], name


def _columns(ran: Ran | Done) -> dict[str, str]:
    with duckdb.connect(str(ran.folder / "store.duckdb"), read_only=True) as connection:
        found = connection.execute(f'DESCRIBE "example_results"."{ran.example.step}"').fetchall()
    return {row[0]: row[1] for row in found}


@pytest.fixture(scope="module")
def ran_with_nulls(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RanExamples:
    """Runs the examples over rows with NULLs in all columns."""
    examples = [_over_nulls(o, lambda row, column: row % 9 == column) for o in chosen(request)]
    return run_joined(examples, lambda: tmp_path_factory.mktemp("nulls"))


@every_operator
def test_it_bears_nulls_everywhere(operator: type[Operator], ran_with_nulls: RanExamples) -> None:
    assert ran_with_nulls[operator.__name__].table().num_rows > 0


@pytest.fixture(scope="module")
def ran_without_values(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RanExamples:
    """Runs the examples that do not learn over NULLs alone: only learning may refuse them."""
    examples = [_over_nulls(o, lambda row, column: True) for o in _unlearned(request)]
    return run_joined(examples, lambda: tmp_path_factory.mktemp("no_values"))


def _unlearned(request: pytest.FixtureRequest) -> list[type[Operator]]:
    return [operator for operator in chosen(request) if not _learns(operator)]


def _learns(operator: type[Operator]) -> bool:
    """Returns whether the operator learns, or one that comes before it in its example."""
    steps = example_of(operator).steps.values()
    return any(installed()[step["operator"]].learns is not None for step in steps)


@every_operator
def test_it_bears_nothing_but_nulls(
    operator: type[Operator], ran_without_values: RanExamples, tmp_path: Path
) -> None:
    if _learns(operator):
        _runs_or_explains(_over_nulls(operator, lambda row, column: True), tmp_path)
    else:
        assert _columns(ran_without_values[operator.__name__])


def _over_nulls(operator: type[Operator], is_null: Callable[[int, int], bool]) -> ExampleCase:
    example = example_of(operator)
    example.data = {
        name: _with_nulls(table, example.concepts[name], is_null)
        for name, table in example.data.items()
    }
    return example


def _with_nulls(
    table: pa.Table, concept: dict[str, Any], is_null: Callable[[int, int], bool]
) -> pa.Table:
    columns = {}
    for i, (name, kind) in enumerate(concept["features"].items()):
        mask = pa.array([kind != "key" and is_null(row, i) for row in range(table.num_rows)])
        column = table.column(name).combine_chunks()
        columns[name] = pc.if_else(mask, pa.scalar(None, column.type), column)
    return pa.table(columns)


@pytest.fixture(scope="module")
def ran_without_rows(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RanExamples:
    """Runs the examples that do not learn over no rows: only learning may refuse that."""
    examples = [_over_no_rows(operator) for operator in _unlearned(request)]
    return run_joined(examples, lambda: tmp_path_factory.mktemp("no_rows"))


@every_operator
def test_it_bears_no_rows(
    operator: type[Operator], ran_without_rows: RanExamples, tmp_path: Path
) -> None:
    if not _learns(operator):
        assert _columns(ran_without_rows[operator.__name__])
        return
    example = _over_no_rows(operator)
    case = _runs_or_explains(example, tmp_path)
    if case is not None:
        assert _columns(Ran(example, case, tmp_path))


def _over_no_rows(operator: type[Operator]) -> ExampleCase:
    example = example_of(operator)
    named = [concept for concept, _ in example.named_concepts() if concept in example.concepts]
    if not named:  # it reads what another step makes
        first = next(iter(example.steps.values()))
        nothing = {"operator": "RowSelectionByQuery", "where": "age < 0", "input": first["input"]}
        name = f"{operator.__name__} none"
        example.steps = {name: nothing, **example.steps}
        first["input"] = name
    for i, concept in enumerate(named):
        feature = next(f for f, t in example.concepts[concept]["features"].items() if t != "key")
        example.put_before(
            concept,
            f"{operator.__name__} none_{i}",
            {
                "operator": "RowSelectionByQuery",
                "where": f"{feature} is null and {feature} is not null",
            },
        )
    return example


def _runs_or_explains(example: ExampleCase, folder: Path) -> LoadedCase | None:
    """Runs; only learning may refuse, and then says in which step, why and what to do."""
    case = example.load(folder)
    try:
        case.run()
    except RunError as error:
        assert example.operator.learns is not None, "only learning can fail for want of values"
        (diagnostic,) = error.diagnostics
        assert diagnostic.message.startswith(f"step {example.step!r} cannot learn: ")
        assert diagnostic.hint
        assert diagnostic.place is not None
        return None
    return case


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


@pytest.fixture(scope="module")
def ran_with_odd_names(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RanExamples:
    """Runs the examples with other names of everything."""
    examples = [
        renamed(
            example_of(operator),
            lambda name: _ODD_CONCEPTS.get(name, f'{name} "%s" ü'),
            lambda name: _ODD_FEATURES.get(name, f'{name} "ü" {{}}'),
        )
        for operator in chosen(request)
    ]
    return run_joined(examples, lambda: tmp_path_factory.mktemp("odd"))


@every_operator
def test_names_may_be_odd(
    operator: type[Operator], ran: RunExample, ran_with_odd_names: RanExamples
) -> None:
    plain = ran(operator)
    expected = table(plain.folder / "store.duckdb", plain.example.step)
    if operator.family == "patterns":  # what was found is in words, with names of features
        expected = _with_odd_names(expected)
    found = ran_with_odd_names[operator.__name__].table()
    assert _sorted_rows(found) == _sorted_rows(expected)


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


@every_operator
@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_it_learns_nothing_from_nan_or_infinity(
    operator: type[Operator], value: str, ran: RunExample
) -> None:
    if operator.learns is None:
        return
    done = ran(operator)
    step = done.case.bound.steps[done.example.step]
    concept = done.compiled.pieces[step.inputs[0]].presence.concept
    for name in step.operator.training_features():
        if concept.features[name].type == "numeric":
            spoilt: exp.Expression = exp.cast(exp.Literal.string(value), "double")
            if concept.key:
                some = exp.Mod(this=column(concept.key), expression=exp.Literal.number(7)).eq(3)
                spoilt = when(some, spoilt, column(name))
            with pytest.raises(LearningError, match=f"{name!r}.* NaN or infinite"):
                _learned(done, {name: spoilt})


def _learned(done: Done, spoilt: Mapping[str, exp.Expression] | None = None) -> Any:
    """Learns again from the rows of an example, in which some features may have other values."""
    case = done.case
    step = case.bound.steps[done.example.step]
    source = done.compiled.pieces[step.inputs[0]]
    rows_read = over(source.source()).extend(spoilt or {})
    names = Names(case.bound.name)
    with open_store(case.bound.case, case.connection) as store, store.engine.session() as session:
        rows = Training(
            step.name,
            source.presence.concept,
            rows_read,
            names.public,
            session,
            store.engine.dialect,
            silent,
            threading.Event(),
        )
        return learn_from(step.operator, rows)


def _emitted(done: Done, artifact: Any) -> str:
    case = done.case
    step = case.bound.steps[done.example.step]
    pieces = done.compiled.pieces
    block = step.operator.emit({name: pieces[name].source() for name in step.inputs}, artifact)
    return str(block.select(Names(case.bound.name).public, "duckdb").sql(dialect="duckdb"))


@every_operator
def test_scoring_goes_through_it(operator: type[Operator], ran: RunExample) -> None:
    done = ran(operator)
    if operator.scores:
        step, values = done.example.step, list(done.piece.operator.prediction_features())  # type: ignore[union-attr]  # a step has an operator
    elif done.model:
        step, values = done.model, ["model_value", "model_value_label"]
    else:
        output = done.case.bound.steps[done.example.step].output
        excused = operator.family in ("evaluation", "patterns") or output.key is None
        assert excused, "a model can follow"
        return
    sources = done.case.bound.sources
    script = done.case.compile(step, score=True)
    inputs = {name: done.example.data[name] for name in sources if f'FROM "{name}"' in script}
    assert inputs
    scored = done.case.score(inputs, step=step)
    output = done.case.bound.steps[step].output
    columns = [output.key, *values, *(s.feature for s in output.segmentations)]
    assert scored.column_names == columns
    published = done.case.table(step).select(columns)
    assert _sorted_rows(scored) == _sorted_rows(published)
