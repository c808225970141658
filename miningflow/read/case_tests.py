"""Reads `tests:` and `data_tests:` of a case."""

from __future__ import annotations

from miningflow.nodes import Fields, Items, Node, Scalar, kind_of
from miningflow.read.case import DataTestText, TestText
from miningflow.read.shape import Shape

TEST_WORDS = ("step", "given", "expect", "learned", "tolerance", "about")
DATA_TESTS = ("unique", "not_null", "accepted_values", "range", "relation", "expression")
DATA_TEST_WORDS = (*DATA_TESTS, "severity", "about")


def read_tests(fields: Fields | None, shape: Shape) -> dict[str, TestText]:
    """Reads the tests that give rows and expect rows."""
    found: dict[str, TestText] = {}
    for key, node in fields or ():
        what = f"test {key.text!r}"
        body = shape.entry(key, node, "test", "give it 'step', 'given' and 'expect'")
        if body is None:
            continue
        body = shape.known(body, TEST_WORDS, what)
        step = shape.scalar(shape.required(body, "step", what), f"'step' of {what}")
        given = shape.fields(shape.required(body, "given", what), f"'given' of {what}")
        expect = shape.required(body, "expect", what)
        if step is None or given is None or expect is None:
            continue
        found[key.text] = TestText(
            name=key,
            step=step,
            given={c.text: (c, _rows(rows, f"{c.text!r} in {what}", shape)) for c, rows in given},
            expect=_rows(expect, f"'expect' of {what}", shape),
            learned=shape.scalar(body.get("learned"), f"'learned' of {what}"),
            tolerance=shape.scalar(body.get("tolerance"), f"'tolerance' of {what}"),
            about=shape.text(body.get("about"), "'about'"),
        )
    return found


def read_data_tests(fields: Fields | None, shape: Shape) -> tuple[DataTestText, ...]:
    """Reads the tests of results; each list item is one."""
    found: list[DataTestText] = []
    for concept, node in fields or ():
        what = f"the data tests of {concept.text!r}"
        if not isinstance(node, Items):
            hint = f"write them as items: `- unique: …`; there are {', '.join(DATA_TESTS)}"
            shape.error(f"{what} must be a list, got {kind_of(node)}", node.place, hint)
            continue
        for item in node.items:
            test = _data_test(concept, item, shape)
            if test is not None:
                found.append(test)
    return tuple(found)


def _data_test(concept: Scalar, node: Node, shape: Shape) -> DataTestText | None:
    what = f"a data test of {concept.text!r}"
    body = shape.fields(node, what)
    if body is None:
        return None
    shape.known(body, DATA_TEST_WORDS, what)
    kinds = [key for key, _ in body if key.text in DATA_TESTS]
    if len(kinds) != 1 and all(key.text in DATA_TEST_WORDS for key, _ in body):
        named = " and ".join(repr(k.text) for k in kinds) or "nothing"
        hint = f"one of {', '.join(DATA_TESTS)}; write each as a separate item"
        shape.error(f"{what} must have exactly one rule, got {named}", body.place, hint)
    if len(kinds) != 1:
        return None
    wanted = body.get(kinds[0].text)
    assert wanted is not None
    return DataTestText(
        concept=concept,
        kind=kinds[0],
        wanted=wanted,
        severity=shape.scalar(body.get("severity"), f"'severity' of {what}"),
        about=shape.text(body.get("about"), "'about'"),
    )


def _rows(node: Node, what: str, shape: Shape) -> tuple[Fields, ...]:
    """Returns rows as maps from features to values."""
    if not isinstance(node, Items):
        hint = "write `[{customer_id: 1, age: 30}]`, or `[]` for no rows"
        shape.error(f"{what} must be a list of rows, got {kind_of(node)}", node.place, hint)
        return ()
    found: list[Fields] = []
    for item in node.items:
        if isinstance(item, Fields):
            found.append(item)
        else:
            hint = "a row is a map of features to values: `{customer_id: 1, age: 30}`"
            shape.error(f"a row of {what} is {kind_of(item)}", item.place, hint)
    return tuple(found)
