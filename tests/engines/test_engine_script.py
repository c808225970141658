"""The script itself on PostgreSQL and Spark: names, statements, schemas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, LinearSVC
from support.postgres_server import Postgres
from support.scoring import Engine, difference, run, table_of

import miningflow

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.5], [3.0, 0.5]])
Y = np.array(["n", "n", "p", "p"])
ODD = [
    'say "hi"',
    "it's",
    "select",
    "a b",
    "a.b",
    "`tick`",
    "Größe 📏",
    "x; DROP TABLE rows; --",
    "%s {0} ?",
    "score1",
    "x1",
    "read1",
    "input1",
    "total",
    "sums",
    "given",
    "kernel_0",
    "s",
    "z",
    "position",
    "\\",
    "rows",
    "/* c */",
    "new\nline",
    " ",
]


@pytest.mark.parametrize(
    "machine", [SVC(), SVC(kernel="poly", degree=2), LinearSVC(), SVR()], ids=str
)
def test_odd_names(engine: Engine, machine: Any) -> None:
    machine.fit(X, Y == "p")
    for name in ODD if engine.dialect == "postgres" else ODD[::3]:
        script = miningflow.to_sql(
            machine, [name, "other"], table=name, keep=["id", name], dialect=engine.dialect
        )
        rows = run(script, table_of(X, [name, "other"]), table=name, engine=engine)
        assert rows[name].to_list() == X[:, 0].tolist()
        assert rows[rows.columns[-1]].to_list() == pytest.approx(machine.predict(X).tolist())


def test_features_called_like_the_outputs(engine: Engine) -> None:
    random = np.random.default_rng(0)
    wide = random.normal(size=(40, 4))
    names = ["label", "Decision", "decision_0", "prediction"]
    for machine in (SVC(), LinearSVC()):
        machine.fit(wide, np.argsort(wide[:, 0]) % 3)
        script = miningflow.to_sql(machine, names, keep=["id"], dialect=engine.dialect)
        rows = run(script, table_of(wide, names), engine=engine)
        assert rows["label"].to_list() == machine.predict(wide).tolist()


def test_names_that_differ_in_case_are_two_columns_on_postgres(postgres: Postgres) -> None:
    machine = SVC().fit(X, Y)
    script = miningflow.to_sql(machine, ["a", "A"], keep=["id"], dialect="postgres")
    rows = run(script, table_of(X, ["a", "A"]), engine=postgres)
    difference(rows[["decision"]], machine.decision_function(X)[:, None])


def test_the_whole_script_runs_as_one_text_twice(postgres: Postgres) -> None:
    postgres.execute("CREATE TABLE rows AS SELECT 1 AS id, 2 AS a, 1.5::real AS b")
    script = miningflow.to_sql(SVC().fit(X, Y), ["a", "b"], keep=["id"], dialect="postgres")
    for _ in range(2):
        for statement in script.setup:  # setting up twice does no harm
            postgres.execute(statement)
    postgres.execute(str(script))
    assert postgres.tables() == ["rows"]
    postgres.execute("DROP TABLE rows")


def test_numbers_of_every_type(postgres: Postgres) -> None:
    machine = SVC().fit(X, Y)
    script = miningflow.to_sql(machine, ["a", "b"], keep=["id"], dialect="postgres")
    for kind in ("smallint", "integer", "bigint", "numeric", "real", "double precision", "text"):
        postgres.execute(
            f"CREATE TABLE rows AS SELECT i AS id, i::{kind} AS a, (i * 2)::{kind} AS b "
            "FROM generate_series(0, 3) AS g(i)"
        )
        for statement in script.setup:
            postgres.execute(statement)
        rows = postgres.rows(script.query).sort_values("id")
        given = np.array([[i, i * 2.0] for i in range(4)])
        difference(rows[["decision"]], machine.decision_function(given)[:, None])
        postgres.execute(f"DROP TABLE rows; {script.teardown[0]}")


def test_a_table_in_a_schema(postgres: Postgres) -> None:
    postgres.execute(
        'CREATE SCHEMA "my schema"; '
        'CREATE TABLE "my schema"."t" AS SELECT 1 AS id, 2e0::float8 AS a, 1e0::float8 AS b'
    )
    script = miningflow.to_sql(
        LinearSVC().fit(X, Y), ["a", "b"], table=("my schema", "t"), dialect="postgres"
    )
    assert postgres.rows(script.query)["label"].to_list() == ["p"]
    postgres.execute('DROP SCHEMA "my schema" CASCADE')


def test_a_result_can_be_kept_as_a_table_and_as_a_view(postgres: Postgres) -> None:
    machine = SVC().fit(X, Y)
    postgres.load(table_of(X, ["a", "b"]), "rows")
    script = miningflow.to_sql(machine, ["a", "b"], keep=["id"], dialect="postgres")
    for statement in script.setup:
        postgres.execute(statement)
    postgres.execute(f"CREATE VIEW scores AS {script.query}")
    postgres.execute(f"CREATE TABLE kept AS {script.query}")
    for name in ("scores", "kept"):
        rows = postgres.rows(f"SELECT * FROM {name} WHERE id >= 2 ORDER BY id")
        assert rows["label"].to_list() == machine.predict(X[2:]).tolist()
    types = postgres.rows(
        "SELECT data_type FROM information_schema.columns "
        "WHERE table_name = 'kept' AND table_schema = current_schema ORDER BY ordinal_position"
    )
    assert types["data_type"].to_list() == ["bigint", "double precision", "text"]
    postgres.execute(f"DROP VIEW scores; DROP TABLE kept; DROP TABLE rows; {script.teardown[0]}")
