"""The script itself: names, dialects, statements, and everything that is refused."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from support.drawn_examples import drawn
from support.scoring import DuckDB, assert_agrees, run, table_of

import miningflow

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.5], [3.0, 0.5]])
Y = np.array(["n", "n", "p", "p"])
ODD = [
    'say "hi"',
    "it's",
    "select",
    "a b",
    "Größe 📏",
    "x; DROP TABLE rows; --",
    "new\nline",
    "%s {0} ?",
    "score1",
    "x1",
    "total",
    "\\",
    "rows",
    " ",
    "/* c */",
]


@pytest.mark.parametrize(
    "machine", [SVC(), SVC(kernel="poly", degree=2), LinearSVC(), SVR()], ids=str
)
@pytest.mark.parametrize("name", ODD)
def test_odd_names(name: str, machine: Any) -> None:
    machine.fit(X, Y == "p")
    script = miningflow.to_sql(machine, [name, "other"], table=name, keep=["id", name])
    rows = run(script, table_of(X, [name, "other"]), table=name)
    assert rows[name].to_list() == X[:, 0].tolist()
    assert rows[rows.columns[-1]].to_list() == pytest.approx(machine.predict(X).tolist())


@settings(max_examples=drawn(60), deadline=None, derandomize=True)
@given(
    names=st.lists(
        st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1),
        min_size=2,
        max_size=2,
        unique_by=str.casefold,
    ).filter(lambda names: "id" not in [name.casefold() for name in names]),
    labels=st.lists(
        st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")),
        min_size=2,
        max_size=2,
        unique=True,
    ),
)
def test_any_names_and_labels(names: list[str], labels: list[str]) -> None:
    y = np.array(labels, dtype=object)[[0, 0, 1, 1]]
    machine = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    script = miningflow.to_sql(machine, names, keep=["id"])
    connection = duckdb.connect()
    quoted = ", ".join('"' + name.replace('"', '""') + '" DOUBLE' for name in names)
    connection.execute(f"CREATE TABLE rows (id BIGINT, {quoted})")
    for i, row in enumerate(X):
        connection.execute("INSERT INTO rows VALUES (?, ?, ?)", [i, *row.tolist()])
    for statement in script.setup:
        connection.execute(statement)
    found = connection.execute(script.query).fetchall()
    assert [label for *_, label in sorted(found)] == machine.predict(X).tolist()


@pytest.mark.parametrize("machine", [SVC(), LinearSVC(), SVC(kernel="poly")], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_features_called_like_the_outputs(machine: Any, classes: int) -> None:
    random = np.random.default_rng(0)
    wide = random.normal(size=(40, 4))
    machine.fit(wide, np.argsort(wide[:, 0]) % classes)
    names = ["label", "Decision", "decision_0", "prediction"]
    rows = run(miningflow.to_sql(machine, names, keep=["id"]), table_of(wide, names))
    assert rows["label"].to_list() == machine.predict(wide).tolist()


def test_the_whole_script_runs_as_one_text() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT 1 AS id, 2e0 AS a, 1e0 AS b")
    script = miningflow.to_sql(SVC().fit(X, Y), ["a", "b"], keep=["id"])
    assert len(script.setup) == len(script.teardown) == 1
    parts = [script.setup[0], script.query, script.teardown[0]]
    assert str(script) == "".join(f"{part};\n" for part in parts)
    connection.execute(str(script))
    assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(1,)]


def test_a_linear_machine_needs_no_table() -> None:
    script = miningflow.to_sql(LinearSVC().fit(X, Y), ["a", "b"])
    assert script.setup == script.teardown == []
    assert str(script) == f"{script.query};\n"


def test_tables_of_two_machines_do_not_collide() -> None:
    first, second = (SVC(C=c).fit(X, Y) for c in (0.1, 10.0))
    scripts = [miningflow.to_sql(machine, ["a", "b"], keep=["id"]) for machine in (first, second)]
    assert scripts[0].teardown != scripts[1].teardown
    connection = duckdb.connect()
    connection.register("given", table_of(X, ["a", "b"]))
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    for script in (*scripts, *scripts):  # setting up twice does no harm
        connection.execute(script.setup[0])
    for machine, script in zip((first, second), scripts, strict=True):
        found = [decision for _, decision, _ in sorted(connection.execute(script.query).fetchall())]
        assert found == pytest.approx(machine.decision_function(X).tolist(), rel=1e-9)


def test_a_table_in_a_schema() -> None:
    connection = duckdb.connect()
    connection.execute('CREATE SCHEMA "my schema"')
    connection.execute('CREATE TABLE "my schema"."t" AS SELECT 1 AS id, 2e0 AS a, 1e0 AS b')
    script = miningflow.to_sql(LinearSVC().fit(X, Y), ["a", "b"], table=("my schema", "t"))
    assert connection.execute(script.query).fetchall()[0][-1] == "p"


def test_a_kept_column_may_be_a_feature_in_another_case() -> None:
    machine = SVC().fit(X, Y)
    script = miningflow.to_sql(machine, ["a", "b"], keep=["A", "id"])
    rows = run(script, table_of(X, ["a", "b"]))
    assert list(rows.columns) == ["a", "id", "decision", "label"]  # as the table spells it
    assert rows["a"].to_list() == X[:, 0].tolist()
    assert rows["label"].to_list() == machine.predict(X).tolist()


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_other_dialects_get_what_they_can_run(dialect: str) -> None:
    random = np.random.default_rng(0)
    wide = random.normal(size=(60, 2))
    y = np.array(["it's", "a\\b", "c"])[np.argsort(wide[:, 0]) % 3]
    frame = pd.DataFrame({"n": wide[:, 0], "city": random.choice(["x", "y's"], 60)})
    columns = ColumnTransformer([("c", OneHotEncoder(), ["city"])], remainder="passthrough")
    for fitted in (
        LinearSVC().fit(wide, y),
        SVC(kernel="linear").fit(wide, y),
        SVC(kernel="poly", degree=2).fit(wide, y),
        make_pipeline(columns, SVC(kernel="linear")).fit(frame, y),
    ):
        script = miningflow.to_sql(fitted, ["n", "city"], keep=["id"], dialect=dialect)
        assert script.setup == []
        parsed = sqlglot.parse_one(script.query, dialect=dialect)
        assert isinstance(parsed, sqlglot.exp.Select)
        assert parsed.named_selects[0] == "id"
        assert parsed.named_selects[-1] == "label"
        texts = {t.this for t in parsed.find_all(sqlglot.exp.Literal) if t.is_string}
        assert {"it's", "a\\b", "c"} <= texts
        if dialect == "postgres":
            assert "e0" not in script.query.replace("e0 AS DOUBLE PRECISION", "")
    for machine in (SVC(), SVC(kernel="sigmoid")):
        script = miningflow.to_sql(machine.fit(wide, y), ["a", "b"], dialect=dialect)
        first_words = [" ".join(statement.split()[:4]) for statement in script.setup]
        assert (
            first_words
            == {
                "postgres": ["DROP TABLE IF EXISTS", first_words[-1]],
                "spark": ["CREATE OR REPLACE TEMPORARY"],
            }[dialect]
        )
        assert "OR REPLACE TABLE" not in str(script)
        assert "LIST_" not in script.query


@pytest.mark.slow
def test_what_an_engine_cannot_do_is_refused_by_name() -> None:
    long = "ä" * 32
    for machine in (LinearSVC(), SVC()):
        machine.fit(X, Y)
        assert long in miningflow.to_sql(machine, [long, "b"]).query
        assert long in miningflow.to_sql(machine, [long, "b"], dialect="spark").query
        with pytest.raises(
            miningflow.MiningFlowError, match="names of more than 63 bytes"
        ) as caught:
            miningflow.to_sql(machine, [long, "b"], dialect="postgres")
        assert caught.value.diagnostics[0].hint
    wide = np.random.default_rng(0).normal(size=(8, 1_700))
    many = SVC().fit(wide, [0, 1] * 4)
    with pytest.raises(miningflow.MiningFlowError, match="at most 1,600 columns"):
        miningflow.to_sql(many, [f"c{i}" for i in range(1_700)], dialect="postgres")
    powers = SVC(kernel="poly", degree=20, gamma=0.1).fit(X[:, :1], Y)
    assert miningflow.to_sql(powers, ["a"], dialect="spark").query
    with pytest.raises(miningflow.MiningFlowError, match="products of 20 factors") as caught:
        miningflow.to_sql(powers, ["a"], dialect="postgres")
    assert "coef0" in caught.value.diagnostics[0].hint


def _subclassed() -> Any:
    class Own(SVC):  # type: ignore[misc]  # scikit-learn has no types
        pass

    return Own().fit(X, Y)


FITTED: dict[str, tuple[Any, str]] = {
    "bagging": (lambda: BaggingClassifier(KNeighborsClassifier(1)).fit(X, Y), "BaggingClassifier"),
    "neighbours": (lambda: KNeighborsClassifier(3).fit(X, Y), "KNeighborsClassifier"),
    "search": (lambda: GridSearchCV(SVC(), {"C": [1]}, cv=2).fit(X, Y), "GridSearchCV"),
    "isotonic": (
        lambda: CalibratedClassifierCV(SVC(), cv=2, method="isotonic").fit(X, Y),
        "method 'isotonic'",
    ),
    "not fitted calibrated": (lambda: CalibratedClassifierCV(SVC()), "is not fitted"),
    "calibrated forest": (
        lambda: CalibratedClassifierCV(RandomForestClassifier(3), cv=2).fit(X, Y),
        "CalibratedClassifierCV around RandomForestClassifier",
    ),
    "calibrated pairs": (
        lambda: CalibratedClassifierCV(SVC(decision_function_shape="ovo"), cv=2).fit(
            np.arange(16.0).reshape(8, 2) % 7, list("abcdabcd")
        ),
        "does not decide about each class",
    ),
    "components": (lambda: make_pipeline(PCA(1), SVC()).fit(X, Y), "PCA"),
    "union": (
        lambda: make_pipeline(FeatureUnion([("a", StandardScaler())]), SVC()).fit(X, Y),
        "FeatureUnion",
    ),
    "function": (
        lambda: make_pipeline(FunctionTransformer(np.abs), SVC()).fit(X, Y),
        "FunctionTransformer",
    ),
    "no machine": (lambda: make_pipeline(StandardScaler()).fit(X, Y), "StandardScaler"),
    "own kernel": (lambda: SVC(kernel=lambda a, b: a @ b.T).fit(X, Y), "kernel of your own"),
    "precomputed": (lambda: SVC(kernel="precomputed").fit(X @ X.T, Y), "precomputed"),
    "subclass": (_subclassed, "Own"),
    "class": (lambda: SVC, "the class SVC"),
    "text": (lambda: "SVC()", "str"),
    "nothing": (lambda: None, "NoneType"),
    "not fitted": (SVC, "SVC is not fitted"),
    "not fitted pipeline": (lambda: make_pipeline(StandardScaler(), SVC()), "is not fitted"),
    "not fitted selector": (lambda: make_pipeline(SelectKBest(), SVC()), "SelectKBest is not fit"),
    "not fitted columns": (
        lambda: make_pipeline(ColumnTransformer([]), SVC()),
        "ColumnTransformer is not fitted",
    ),
}


@pytest.mark.parametrize("what", FITTED)
def test_what_is_not_supported_is_refused_by_name(what: str) -> None:
    make, named = FITTED[what]
    features = ["a", "b", "c", "d"] if what == "precomputed" else ["a", "b"]
    with pytest.raises(miningflow.MiningFlowError, match=named) as caught:
        miningflow.to_sql(make(), features)
    assert caught.value.diagnostics[0].hint


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "too few": ({"features": ["a"]}, "fitted on 2 columns, and gets 1"),
    "too many": ({"features": ["a", "b", "c"]}, "fitted on 2 columns, and gets 3"),
    "none": ({"features": None}, "features are missing"),
    "twice": ({"features": ["a", "A"]}, "features has 'A' twice"),
    "one text": ({"features": "ab"}, "features is the text 'ab'"),
    "numbers": ({"features": [0, 1]}, "features has 0, which is no name"),
    "empty name": ({"features": ["", "b"]}, "which is no name"),
    "dialect": ({"dialect": "duckbd"}, "no dialect 'duckbd'"),
    "keep twice": ({"keep": ["id", "id"]}, "keep has 'id' twice"),
    "keep clashes": ({"keep": ["id", "Label"]}, "keep has label, which the query computes"),
    "keep is text": ({"keep": "id"}, "keep is the text 'id'"),
    "no table": ({"table": []}, "table has no name"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments(what: str) -> None:
    arguments, message = WRONG[what]
    with pytest.raises(miningflow.MiningFlowError, match=message) as caught:
        miningflow.to_sql(SVC().fit(X, Y), **{"features": ["a", "b"], **arguments})
    assert caught.value.diagnostics[0].hint


def test_features_in_another_order_than_fitted_are_refused() -> None:
    machine = SVC().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(miningflow.MiningFlowError, match="another order") as caught:
        miningflow.to_sql(machine, ["b", "a"])
    assert "a, b" in caught.value.diagnostics[0].hint
    assert '"height"' in miningflow.to_sql(machine, ["height", "b"]).query


def test_labels_that_no_column_can_hold_are_refused() -> None:
    machine = SVC().fit(X, Y)
    machine.classes_ = np.array(["a\0b", "c"], dtype=object)
    with pytest.raises(miningflow.MiningFlowError, match="cannot be written in SQL"):
        miningflow.to_sql(machine, ["a", "b"])


@pytest.mark.parametrize("kernel", ["rbf", "sigmoid", "poly"])
def test_an_older_duckdb_adds_up_by_a_list(kernel: str) -> None:
    class Older(DuckDB):
        dialect = "duckdb1.5"

    random = np.random.default_rng(2)
    X = random.normal(size=(80, 12))
    machine = SVC(kernel=kernel, gamma=0.05).fit(X, X[:, 0] * X[:, 1] > 0)
    names = [f"c{i}" for i in range(12)]
    assert assert_agrees(machine, X, names, Older()) < 1e-12
    written = miningflow.to_sql(machine, features=names, dialect="duckdb1.5").query
    assert "LIST_REDUCE" not in written
