"""Mutilated cases: whatever a person may do to a case, only messages for people come out."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import example_data
from support.drawn_examples import drawn

from miningflow.catalog import installed
from miningflow.errors import MiningFlowError
from miningflow.read import find_connection, read_case
from miningflow.resolve import resolve_case

STEPS = """
steps:
  with_claims:
    operator: AggregateByRelation
    input: Customer
    relation: claims_of
    aggregates: {claim_total: sum(amount), claim_count: count()}
  cleaned:
    input: with_claims
    chain:
      older:
        operator: RowSelectionByQuery
        where: age >= 18 and region <> 'west'
      filled:
        operator: AssignAverageValue
        for_each: {target: [age, income]}
      scaled:
        operator: LinearScaling
        for_each: [{target: age, output: age_01}, {target: income, output: income_01}]
        range: [0, 1]
  relevant:
    operator: FeatureSelectionWithSVM
    input: cleaned
    target: lapsed
    positive: 'yes'
    attributes: ['type:numeric', region]
    direction: backward
  risky:
    operator: SupportVectorMachineForClassification
    input: relevant
    target: lapsed
    positive: 'yes'
    predictors: all except [customer_id, since]
    learn_on: relevant
    output: risk
  joined: {operator: JoinByKey, concepts: [risky, Rating], rename: {Rating.income: rated}}
scoring: risky
tests:
  fills: {step: filled, given: {older: [{customer_id: 1, age: null}]}, expect: [{age: 3.5}]}
data_tests:
  risky:
  - {unique: customer_id, severity: warn}
  - accepted_values: {region: [north, south]}
  - range: {age: {min: 0, max: 120}, since: {min: '2020-01-01'}}
  - expression: age >= 18
  Claim: [{relation: claims_of}, {not_null: [amount, filed]}]
"""
TEXT = (
    "case: example\n"
    + example_data.CONCEPTS.replace(
        "  Customer:\n", "  Customer:\n    holdout: {share: 0.3, seed: 1}\n"
    )
    + STEPS
    + example_data.CONNECT
)
LINES = TEXT.splitlines()
TOKENS = re.findall(r"\w+|\s+|[^\w\s]", TEXT)
WORDS = [
    *sorted({t for t in TOKENS if not t.isspace()}),
    *("''", "null", "-1", "1e999", "{}", "[]", "[a", "*", "&a", "<<", "\t", "\0", "ß", "'", "nan"),
    *("type:", "all except [", "{target}", "9" * 30, "${X}", "!!int", "---", "? ", "- "),
]


def _survives(text: str) -> None:
    try:
        case = read_case(Path("case.yml"), text)
        resolve_case(case, installed())
        find_connection(case, None)
    except MiningFlowError as error:
        assert error.diagnostics
        assert all(m.message for m in error.diagnostics)


FUZZED = settings(
    max_examples=drawn(400),
    deadline=timedelta(seconds=5),
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)


def test_the_text_that_is_mutilated_is_good() -> None:
    case = read_case(Path("case.yml"), TEXT)
    assert len(resolve_case(case, installed()).steps) == 9


@FUZZED
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["delete", "double", "move", "indent", "dedent"]),
            st.integers(0, len(LINES) - 1),
            st.integers(0, len(LINES) - 1),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_mutilated_lines(changes: list[tuple[str, int, int]]) -> None:
    lines = [[line] for line in LINES]
    for what, at, to in changes:
        match what:
            case "delete":
                lines[at] = []
            case "double":
                lines[to] = lines[to] + lines[at]
            case "move":
                lines[at], lines[to] = lines[to], lines[at]
            case "indent":
                lines[at] = ["  " + line for line in lines[at]]
            case "dedent":
                lines[at] = [line.removeprefix("  ") for line in lines[at]]
    _survives("\n".join(line for group in lines for line in group))


@FUZZED
@given(
    st.lists(
        st.tuples(st.integers(0, len(TOKENS) - 1), st.sampled_from(["", *WORDS])),
        min_size=1,
        max_size=4,
    )
)
def test_mutilated_words(changes: list[tuple[int, str]]) -> None:
    tokens = list(TOKENS)
    for at, word in changes:
        tokens[at] = word
    _survives("".join(tokens))


@FUZZED
@given(st.integers(0, len(TEXT)), st.integers(0, 60), st.text(max_size=8))
def test_mutilated_characters(at: int, length: int, new: str) -> None:
    _survives(TEXT[:at] + new + TEXT[at + length :])
