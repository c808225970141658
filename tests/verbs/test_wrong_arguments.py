"""Wrong arguments of every method of a loaded case: a MiningFlowError that says what exists."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.small_case import load, rows

from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

PEOPLE = rows(
    "id",
    {"id": "key", "age": "numeric", "size": "numeric", "buys": "binary"},
    {
        "id": list(range(40)),
        "age": [20 + i for i in range(40)],
        "size": [None if i % 9 == 0 else float(i % 7) for i in range(40)],
        "buys": ["yes" if i % 20 < 10 else "no" for i in range(40)],
    },
)
STEPS: dict[str, Any] = {
    "doubled": {
        "operator": "GenericFeatureConstruction",
        "input": "Person",
        "sql": "age * 2",
        "output": "twice",
    },
    "filled": {
        "operator": "AssignAverageValue",
        "input": "doubled",
        "for_each": {"target": ["age", "size"]},
    },
    "slim": {"operator": "FeatureSelectionByAttributes", "input": "filled", "drop": ["twice"]},
    "scored": {
        "operator": "SupportVectorMachineForClassification",
        "input": "slim",
        "target": "buys",
        "positive": "yes",
        "predictors": ["age", "size"],
        "kernel": "linear",
        "output": "chance",
    },
}
Call = Callable[[LoadedCase, Any], object]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    folder = tmp_path_factory.mktemp("people")
    loaded = load(folder, {"Person": PEOPLE}, STEPS)
    loaded.run(target=folder / "target")
    return loaded


def message(call: Callable[[], object]) -> str:
    with pytest.raises(MiningFlowError) as caught:
        call()
    return str(caught.value)


NAMING: dict[str, Call] = {
    "plan": lambda case, name: case.plan(select=[name]),
    "plan from": lambda case, name: case.plan(from_step=name),
    "plan to": lambda case, name: case.plan(to_step=name),
    "run": lambda case, name: case.run(select=name),
    "compile": lambda case, name: case.compile(name),
    "compile score": lambda case, name: case.compile(name, score=True),
    "compile functions": lambda case, name: case.compile(name, functions=True),
    "score": lambda case, name: case.score(step=name),
    "table": lambda case, name: case.table(name),
    "features": lambda case, name: case.features(name),
    "selections": lambda case, name: case.selections(name),
    "stats": lambda case, name: case.stats(name),
    "estimate": lambda case, name: case.estimate(name),
    "impact": lambda case, name: case.impact(name),
    "compare": lambda case, name: case.compare(name),
    "explain": lambda case, name: case.explain(name),
}


@pytest.mark.parametrize("method", NAMING)
def test_a_misspelt_step_gets_the_name_that_was_meant(case: LoadedCase, method: str) -> None:
    said = message(lambda: NAMING[method](case, "scord"))
    assert "there is no step or concept 'scord'" in said
    assert "did you mean 'scored'?" in said


def test_other_misspelt_names_get_the_name_that_was_meant(case: LoadedCase) -> None:
    assert "did you mean 'Person'?" in message(lambda: case.score({"Persn": "x.csv"}))
    assert "did you mean 'size'?" in message(lambda: case.score(keep="sizes"))
    assert "did you mean 'size'?" in message(lambda: case.impact("Person.sizes"))
    assert "did you mean 'size'?" in message(lambda: case.features("scored.sizes"))
    assert "did you mean 'duckdb'?" in message(lambda: case.compile(dialect="duckb"))
    assert "did you mean 'script'?" in message(lambda: case.export("scripts"))


def test_a_known_name_that_does_not_fit_is_told_what_does(case: LoadedCase) -> None:
    assert "'Person' is a source concept, not a step" in message(lambda: case.explain("Person"))
    said = message(lambda: case.score(step="filled"))
    assert "'filled' is not one of the steps that predict" in said
    assert "these do: scored" in said
    assert "these do: slim" in message(lambda: case.selections("filled"))
    assert "no step of the case does" in message(lambda: case.compare("slim"))
    assert "it has id, age" in message(lambda: case.impact("Person"))
    assert "step 'slim' deselected it" in message(lambda: case.score(keep=["twice"]))


def test_rows_of_a_fused_step_need_a_view(case: LoadedCase) -> None:
    said = message(lambda: case.table("doubled"))
    assert "fused into the step that uses it" in said
    assert "`materialize: view`" in said


def test_a_turn_of_a_loop_can_be_named(case: LoadedCase) -> None:
    assert case.table("filled[size]").equals(case.table("filled"))
    assert "COALESCE" in case.compile("filled[age]")
    again = case.plan(from_step="filled[size]").running
    assert [stage.name for stage in again] == ["filled", "slim", "scored"]
    chosen = case.plan(select=["filled[age]"], full=True).running
    assert [stage.name for stage in chosen] == ["filled[age]", "filled"]
    assert "did you mean 'filled[size]'?" in message(lambda: case.plan(to_step="filled[sise]"))


# What a parameter of any method may be given by mistake.
WRONG: dict[str, tuple[object, ...]] = {
    "select": (None, 3, [None], [""]),
    "from_step": (3, ""),
    "to_step": (3, ""),
    "target": (None, 3),
    "wait": (None, "soon", -1, float("nan")),
    "step": (3, "", ["scored"]),
    "dialect": (3, ""),
    "inputs": ("data.csv", [1], {3: "x.csv"}),
    "sources": (
        "data.csv",
        [1],
        {3: "x.csv"},
        {"Person": 3},
        {"Person": None},
        {"Person": ""},
        {"Persn": "x.csv"},
        {"scored": "x.csv"},
        {"Person": "none.csv"},
        {"Person": "no_table"},
    ),
    "output": (3, ""),
    "keep": (None, 3, [3]),
    "name": (None, 3, ""),
    "what": (3, ""),
    "plot": (3, "x.gif"),
    "svg": (None, 3, "x.png", "nowhere/x.svg"),
    "names": (None, 3, ""),
    "selectors": (None, 3, [3]),
    "metric": (None, 3, "", "zork"),
    "rows": (None, "many", -1, 3.5, True),
    "folds": (None, 0, 101),
    "to": (None, 3, ""),
    "schema": (3, ""),
    "on": (None, 3, ""),
    "tolerance": (None, "x", -1),
    "origin": (3, ""),
    "kind": (3, "", "rco"),
    "ax": (3, "axes"),
}
SWITCHES = {"listener", "force"}
# `verify` has a switch of this name.
SWITCH_OF = {("verify", "keep")}
NEEDED: dict[str, dict[str, object]] = {
    "table": {"name": "scored"},
    "impact": {"what": "Person.age"},
    "draw": {"svg": "x.svg"},
    "compare": {"step": "slim"},
    "export": {"to": "script"},
    "move": {"to": "duckdb://"},
    "plot": {"step": "scored"},
    "step": {"name": "scored"},
    "add": {"sources": {"Other": "none.csv"}},
}
METHODS = {n: m for n, m in vars(LoadedCase).items() if callable(m) and not n.startswith("_")}
ARGUMENTS = [
    (method, parameter.name, value)
    for method, function in METHODS.items()
    for parameter in list(inspect.signature(function).parameters.values())[1:]
    if not isinstance(parameter.default, bool)
    and parameter.name not in SWITCHES
    and (method, parameter.name) not in SWITCH_OF
    for value in WRONG[parameter.name]
    if value is not None or parameter.default is not None
]


@pytest.mark.parametrize(("method", "parameter", "value"), ARGUMENTS)
def test_no_wrong_argument_is_a_traceback(
    case: LoadedCase, method: str, parameter: str, value: object
) -> None:
    call = getattr(case, method)
    if parameter in ("names", "on"):
        assert message(lambda: call(value))
    else:
        assert message(lambda: call(**{**NEEDED.get(method, {}), parameter: value}))


def test_a_single_name_counts_as_a_list_of_one(case: LoadedCase) -> None:
    assert case.plan(select="scored") == case.plan(select=["scored"])
    assert case.score(keep="age").equals(case.score(keep=["age"]))


def test_loading_takes_a_path(tmp_path: Path) -> None:
    import miningflow

    wrong: Any = None
    assert "'path' takes a path, got None" in message(lambda: miningflow.load(wrong))
    assert "no file" in message(lambda: miningflow.load(tmp_path / "none.yml"))
