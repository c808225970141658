"""Mistakes in steps: found by `check`, with their place, all together, and without any data."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import example_data
from support.command_line import accepted, refused

AVERAGE = "s: {operator: AssignAverageValue, input: Customer, target: income}"
MACHINE = (
    "s: {operator: SupportVectorMachineForClassification, input: Customer, target: lapsed, "
    "positive: 'yes', predictors: [age], output: risk}"
)
AGES = "s: {operator: NumericIntervalManualDiscretization, input: Customer, target: age, "
CUT = "s: {operator: UserDefinedDiscretization, input: Customer, target: age, cuts: [30, 65]}"
COAST = (
    "s: {operator: UserDefinedGrouping, input: Customer, target: region, groups: {a: [n], b: [s]}}"
)
FIRST = 1 + example_data.CONCEPTS.count("\n") + 3  # the line of the first step
MISSING = "connect:\n  store: duckdb:///none/x.duckdb\n  concepts: {Customer: {file: none.csv}}\n"


def write(folder: Path, steps: str, concepts: str = example_data.CONCEPTS) -> None:
    body = "".join(f"  {line}\n" for line in steps.splitlines())
    (folder / "case.yml").write_text(f"case: a\n{concepts}\nsteps:\n{body}{MISSING}")


def check(folder: Path, steps: str, concepts: str = example_data.CONCEPTS) -> str:
    write(folder, steps, concepts)
    return refused(folder, "check", "case.yml")


def test_the_good_ones_are_good_although_no_data_exist(tmp_path: Path) -> None:
    write(tmp_path, f"{AVERAGE}\n{MACHINE.replace('s:', 't:', 1)}")
    assert "2 steps, no errors" in accepted(tmp_path, "check", "case.yml")
    assert [p.name for p in tmp_path.iterdir()] == ["case.yml"]


@pytest.mark.parametrize(
    ("step", "wrong", "message"),
    [
        (AVERAGE.replace("Assign", "Asign"), "AsignA", "did you mean 'AssignAverageValue'?"),
        (AVERAGE.replace("AssignAverageValue", "Zork"), "Zork", "known operators: Aggreg"),
        (AVERAGE.replace("target", "taget"), "taget", "did you mean 'target'?"),
        (AVERAGE.replace("income", "incom"), "incom", "did you mean 'income'?"),
        (AVERAGE.replace("Customer", "Custmer"), "Custmer", "did you mean 'Customer'?"),
        (AVERAGE.replace("income", "region"), "region", "fitting features: age, income, household"),
        (AVERAGE.replace("income", "[income]"), "[income", "takes the name of a feature, got a"),
        (AVERAGE.replace("income", ""), "}", "takes the name of a feature, got nothing"),
        (AVERAGE.replace(", target: income", ""), "s: {", "AssignAverageValue needs 'target': "),
        (AVERAGE.replace("input: Customer, ", ""), "s: {", "AssignAverageValue needs 'input': "),
        (AVERAGE.replace("income}", "income, output: Age}"), "Age", "only in case"),
        (AVERAGE.replace("income}", "income, output: ''}"), "''", "cannot be a name"),
        (
            AVERAGE.replace("income}", f"income, output: {'x' * 121}}}"),
            "x" * 121,
            "cannot be a name",
        ),
        (AVERAGE.replace("income}", "income, materialize: tabel}"), "tabel", "mean 'table'?"),
        (AVERAGE.replace("income}", "income, learn_on: Clam}"), "Clam", "did you mean 'Claim'?"),
        (
            AVERAGE.replace("income}", "income, learn_on: Claim}"),
            "Claim",
            "has no feature 'income'",
        ),
        (AVERAGE.replace("Customer", "s"), "s: {", "reads its own output"),
        (AGES + "intervals: {a: '[0, 9]', b: '[9, )'}}", "'[9, )", "those of 'a' and 'b'"),
        (AGES + "intervals: {a: '[0, x]'}}", "'[0, x", "the end 'x' of an interval is not a"),
        (AGES + "intervals: {a: [0]}}", "0]", "write a map such as {young: '[0, 18)', old"),
        (AGES + "intervals: '[0, 9]'}", "'[0, 9", "takes a map of labels to intervals"),
        (CUT.replace("[30", "[70"), "65]", "takes increasing numbers, got 65 after 70"),
        (CUT.replace("65]}", "65], labels: [a]}"), "[a]", "give 3 labels, or none"),
        (COAST.replace("[s]", "[s, n]"), "n]}}", "names 'n' twice: for 'a' and 'b'"),
        (
            "s: {operator: AssignDefaultValue, input: Customer, target: since, default: now}",
            "now",
            "write it as 2025-12-31 or 2025-12-31 23:59:00",
        ),
        (
            "s: {operator: RowSelectionByUnbiasing, input: Customer, label: lapsed, "
            "counts: {yes: 1, no: 0}}",
            "0}}",
            "must be at least 1, got 0",
        ),
        (MACHINE.replace("risk}", "risk, C: much}"), "much", "takes a number, got 'much'"),
        (MACHINE.replace("risk}", "risk, C: [1]}"), "[1]", "takes a number, got a list"),
        (MACHINE.replace("risk}", "risk, C: -1}"), "-1", "must be at least 1e-09, got -1"),
        (MACHINE.replace("risk}", "risk, C: nan}"), "nan", "takes a finite number"),
        (MACHINE.replace("risk}", "risk, C: true}"), "true", "takes a number, got 'true'"),
        (MACHINE.replace("risk}", "risk, seed: 1.5}"), "1.5", "takes a whole number"),
        (
            MACHINE.replace("risk}", f"risk, seed: {'9' * 5000}}}"),
            "9" * 5000,
            "takes a whole number",
        ),
        (MACHINE.replace("risk}", f"risk, seed: {2**63}}}"), str(2**63), "64 bits at most"),
        (MACHINE.replace("risk}", "risk, kernel: radal}"), "radal", "did you mean 'radial'?"),
        (MACHINE.replace("[age]", "[]"), "[]", "takes at least 1 features, got 0"),
        (MACHINE.replace("[age]", "{age: 1}"), "{age", "takes the name of a feature, got a map"),
        (MACHINE.replace("[age]", "[age, age]"), "age], out", "names 'age' twice"),
        (MACHINE.replace("[age]", "[age, lapsed]"), "[age, l", "is among the predictors"),
        (MACHINE.replace("[age]", "'zz_*'"), "'zz_*'", "no feature of 'Customer' fits 'zz_*'"),
        (
            MACHINE.replace("[age]", "'type:time'"),
            "'type",
            "'type:time' fits no feature of 'Customer' that is numeric or nominal or binary, "
            "only since (time)",
        ),
        (MACHINE.replace("[age]", "'sin*'"), "'sin*", "that is numeric or nominal or binary, only"),
        (MACHINE.replace("[age]", "'lap*'"), "'lap*", "fits only lapsed, which other parameters"),
        (
            AVERAGE.replace("target: income", "for_each: {target: ['reg*']}"),
            "'reg*",
            "'reg*' fits no feature of 'Customer' that is numeric, only region (nominal)",
        ),
        (
            AVERAGE.replace("target: income", "for_each: {target: ['reg*']}"),
            "'reg*",
            "features that are numeric: age, income, household",
        ),
        (MACHINE.replace("[age]", "'type:number'"), "'type", "did you mean 'numeric'?"),
        (MACHINE.replace("[age]", "'all except [idd]'"), "'all", "has no feature 'idd' to leave"),
        (MACHINE.replace("'yes'", ""), ", pred", "takes a value, got nothing"),
        ("s: {operator: Union, concepts: [Customer]}", "[C", "takes at least 2 concepts, got 1"),
        ("s: {operator: Union, concepts: [Claim, Claim]}", "Claim]", "names 'Claim' twice"),
        (
            "s: {operator: JoinByKey, concepts: [Customer, Rating], rename: {Rating.incom: x}}",
            "Rating.incom",
            "did you mean 'Rating.income'?",
        ),
        (
            "s: {operator: JoinByKey, concepts: [Customer, Rating], rename: {Rating.income: ''}}",
            "''",
            "cannot be a name",
        ),
        (
            "s: {operator: AggregateByRelation, input: Customer, relation: claim_of, "
            "aggregates: {n: count()}}",
            "claim_of",
            "did you mean 'claims_of'?",
        ),
        (
            "s: {operator: AggregateByRelation, input: Customer, relation: claims_of, "
            "aggregates: {'': count()}}",
            "'': c",
            "cannot be a name",
        ),
        ("s: {operator: Mapping, input: Customer, target: region, map: [a]}", "[a]", "{old: new}"),
        (
            "s: {operator: LinearScaling, input: Customer, target: age, range: [1, 0]}",
            "[1",
            "low <",
        ),
        (AVERAGE.replace("target: income", "for_each: {target: []}"), "{target", "nothing to rep"),
        (AVERAGE.replace("target: income", "for_each: age"), "age}", "takes one parameter with a"),
        (
            AVERAGE.replace("target: income", "for_each: [age]"),
            "age]",
            "must be a map of parameters",
        ),
        (AVERAGE.replace("target: income", "for_each: {target: [agee]}"), "agee", "mean 'age'?"),
        (AVERAGE.replace("target: income", "for_each: {taget: [age]}"), "taget", "mean 'target'?"),
        (
            AVERAGE.replace("target: income", "for_each: {target: [age, age]}"),
            "age]",
            "'age' twice",
        ),
        (
            AVERAGE.replace("input: Customer, target: income", "for_each: {target: [age]}"),
            "s: {",
            "'input'",
        ),
    ],
)
def test_a_wrong_parameter_is_refused_where_it_stands(
    tmp_path: Path, step: str, wrong: str, message: str
) -> None:
    said = check(tmp_path, step)
    column = step.rindex(wrong) + 3
    assert f"case.yml:{FIRST}:{column}: error: " in said
    assert message in said
    assert said.count(": error: ") == 1


@pytest.mark.parametrize(
    ("condition", "at", "message"),
    [
        ("age > 3; DROP TABLE x", ";", "a second statement"),
        ("age > (SELECT max(amount) FROM Claim)", "(S", "subqueries and statements"),
        ("EXISTS (SELECT 1 FROM secrets)", "EX", "subqueries and statements"),
        ("length(read_text('/etc/passwd')) > 1", "read", "'read_text' is not allowed"),
        ("age > 3 -- and more", "-", "comments are not allowed"),
        ("age > 3) OR (1 = 1", ")", "')' closes nothing"),
        ("agee > 3", "agee", "did you mean 'age'?"),
        ("age + 1", "age", "must be true or false"),
        ("region > 3", "", "region"),
        ("", "", "the expression is empty"),
    ],
)
def test_a_fragment_is_an_expression_and_nothing_else(
    tmp_path: Path, condition: str, at: str, message: str
) -> None:
    step = f's: {{operator: RowSelectionByQuery, input: Customer, where: "{condition}"}}'
    said = check(tmp_path, step)
    assert f"case.yml:{FIRST}:" in said
    assert message in said
    if condition.index(at) > 0:
        column = step.index('"') + 1 + condition.index(at) + 3
        assert abs(int(said.split(":")[2]) - column) <= 1


@pytest.mark.parametrize(
    "deep", ["(" * 3000 + "age" + ")" * 3000, "not " * 3000 + "age", "age" + "+1" * 3000]
)
def test_a_deep_fragment_is_refused(tmp_path: Path, deep: str) -> None:
    step = f"s: {{operator: RowSelectionByQuery, input: Customer, where: '{deep} > 1'}}"
    assert "nested too deeply" in check(tmp_path, step)


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("income: numeric", "income: numerc", "9:15", "did you mean 'numeric'?"),
        ("key: customer_id", "key: customr_id", "5:10", "did you mean 'customer_id'?"),
        ("key: customer_id", "key: age", "5:10", "write `age: key`"),
        ("from: Claim.", "from: Clam.", "35:21", "did you mean 'Claim'?"),
        ("from: Claim.customer_id", "from: Claim.customer", "35:21", "mean 'customer_id'?"),
        ("to: Customer.customer_id", "to: Customer.age", "35:44", "its key is 'customer_id'"),
        ("to: Customer.customer_id", "to: Customer", "35:44", "write `Concept.feature`"),
        (
            "key: customer_id",
            "key: customer_id\n    holdout: {share: 3}",
            "6:14",
            "between 0 and 1",
        ),
        (
            "key: customer_id",
            "key: customer_id\n    holdout: {share: x}",
            "6:14",
            "between 0 and 1",
        ),
        (
            "key: customer_id",
            "key: customer_id\n    holdout: {share: 0.3, seed: nan}",
            "6:14",
            "'seed' of a holdout must be a whole number",
        ),
        (
            "key: customer_id",
            "key: customer_id\n    holdout: {share: 0.3, seed: x}",
            "6:14",
            "'seed' of a holdout must be a whole number",
        ),
        (
            "key: customer_id",
            "key: customer_id\n    holdout: {share: 0.3, sed: 1}",
            "6:27",
            "did you mean 'seed'?",
        ),
        ("key: customer_id\n", "holdout: {share: 0.3}\n", "5:14", "declares none"),
    ],
)
def test_a_wrong_concept_or_relation_is_refused(
    tmp_path: Path, old: str, new: str, place: str, message: str
) -> None:
    said = check(tmp_path, AVERAGE, example_data.CONCEPTS.replace(old, new, 1))
    assert f"case.yml:{place}: error: " in said
    assert message in said


def test_a_cycle_names_its_way(tmp_path: Path) -> None:
    said = check(
        tmp_path,
        "a: {operator: AssignAverageValue, input: c, target: age}\n"
        "b: {operator: AssignAverageValue, input: a, target: age}\n"
        "c: {operator: AssignAverageValue, input: b, target: age}\n"
        "d: {operator: AssignAverageValue, input: c, target: age}\n",
    )
    assert f"case.yml:{FIRST}:3: error: these steps depend on each other: a → b → c → a" in said
    assert said.count(": error: ") == 1


def test_learn_on_closes_a_cycle_too(tmp_path: Path) -> None:
    said = check(
        tmp_path,
        "a: {operator: AssignAverageValue, input: Customer, target: age, learn_on: b}\n"
        "b: {operator: AssignAverageValue, input: a, target: age}\n",
    )
    assert "these steps depend on each other: a → b → a" in said


def test_all_mistakes_come_together_in_the_order_of_the_file(tmp_path: Path) -> None:
    steps = "\n".join(
        f"s{i}: {{operator: AssignAverageValue, input: Customer, target: f{i}}}" for i in range(5)
    )
    said = check(tmp_path, steps, example_data.CONCEPTS.replace("grade: nominal", "grade: word"))
    lines = [int(line.split(":")[1]) for line in said.splitlines() if ": error: " in line]
    assert lines == [19, *range(FIRST, FIRST + 5)]
    assert said.endswith("6 errors\n")


def test_a_mistake_in_step_40_is_found_without_running_step_1(tmp_path: Path) -> None:
    steps = ["s1: {operator: AssignAverageValue, input: Customer, target: income}"]
    steps += [
        f"s{i}: {{operator: AssignAverageValue, input: s{i - 1}, target: income}}"
        for i in range(2, 41)
    ]
    steps[-1] = steps[-1].replace("target: income", "target: incme")
    said = check(tmp_path, "\n".join(steps))
    assert f"case.yml:{FIRST + 39}:" in said
    assert "there is no feature 'incme' in 's39'" in said
    assert [p.name for p in tmp_path.iterdir()] == ["case.yml"]


def test_one_broken_step_does_not_blame_those_after_it(tmp_path: Path) -> None:
    said = check(
        tmp_path,
        "a: {operator: AssignAverageValue, input: Customer, target: incme}\n"
        "b: {operator: AssignAverageValue, input: a, target: income}\n",
    )
    assert said.count(": error: ") == 1


def test_learn_on_must_have_the_same_types(tmp_path: Path) -> None:
    other = "concepts:\n  Other: {key: id, features: {id: key, income: nominal}}\n"
    said = check(
        tmp_path,
        AVERAGE.replace("income}", "income, learn_on: Other}"),
        example_data.CONCEPTS.replace("concepts:\n", other, 1),
    )
    assert "feature 'income' is nominal in 'Other' and numeric here" in said


@pytest.mark.parametrize(
    ("scoring", "message"),
    [
        ("zz", "there is no step 'zz'"),
        ("fill", "'fill' is not a step that predicts"),
        ("fill", "these do: s"),
    ],
)
def test_scoring_must_name_a_step_that_predicts(tmp_path: Path, scoring: str, message: str) -> None:
    write(tmp_path, f"{AVERAGE.replace('s:', 'fill:', 1)}\n{MACHINE}")
    path = tmp_path / "case.yml"
    path.write_text(f"scoring: {scoring}\n{path.read_text()}")
    said = refused(tmp_path, "check", "case.yml")
    assert "case.yml:1:10: error: " in said
    assert message in said
