"""Reads steps and flattens chains: a chain groups steps and lets the next one omit its input."""

from __future__ import annotations

from miningflow.errors import closest
from miningflow.nodes import Fields, Node, Scalar
from miningflow.read.case import StepText
from miningflow.read.shape import Shape

STEP_WORDS = ("operator", "about", "for_each", "materialize", "learn_on")


def read_steps(
    fields: Fields | None, shape: Shape
) -> tuple[dict[str, StepText], dict[Scalar, str]]:
    """Reads all steps; also returns the last step of each chain."""
    steps: dict[str, StepText] = {}
    chains: dict[Scalar, str] = {}
    if fields is not None:
        _walk(fields, None, (), steps, chains, shape)
    return steps, chains


def _walk(
    fields: Fields,
    previous: Scalar | None,
    path: tuple[str, ...],
    steps: dict[str, StepText],
    chains: dict[Scalar, str],
    shape: Shape,
) -> Scalar | None:
    """Reads the members of a chain (or the top level, where nothing is implied)."""
    in_chain = bool(path)
    for key, node in fields:
        body = shape.entry(key, node, "step", "give it an 'operator'")
        if body is None:
            previous = key
            continue
        last: Scalar | None
        if "chain" in body:
            last = _chain(key, body, previous if in_chain else None, path, steps, chains, shape)
        else:
            last = _step(key, body, previous if in_chain else None, path, steps, shape)
        previous = last or previous
    return previous


def _chain(
    key: Scalar,
    body: Fields,
    previous: Scalar | None,
    path: tuple[str, ...],
    steps: dict[str, StepText],
    chains: dict[Scalar, str],
    shape: Shape,
) -> Scalar | None:
    body = shape.known(body, ("chain", "input", "about"), f"chain {key.text!r}")
    members = shape.fields(body.get("chain"), f"'chain' of {key.text!r}")
    given = shape.scalar(body.get("input"), f"'input' of {key.text!r}")
    if members is None:
        shape.unreadable.add(key.text)
        return key
    count = len(steps)
    last = _walk(members, given or previous, (*path, key.text), steps, chains, shape)
    if len(members.entries) == 0:
        shape.error(f"chain {key.text!r} has no steps", key.place, "give it some, or remove it")
    if last is not None and len(steps) > count:
        chains[key] = last.text
    else:
        shape.unreadable.add(key.text)
    return last


def _step(
    key: Scalar,
    body: Fields,
    previous: Scalar | None,
    path: tuple[str, ...],
    steps: dict[str, StepText],
    shape: Shape,
) -> Scalar | None:
    what = f"step {key.text!r}"
    body = _with_operator(body, what, shape)
    operator = shape.scalar(shape.required(body, "operator", what), f"'operator' of {what}")
    if operator is None:
        shape.unreadable.add(key.text)
        return key
    if key.text in steps:
        shape.error(f"there are two steps called {key.text!r}", key.place)
    parameters: dict[str, tuple[Scalar, Node]] = {
        name: entry for name, entry in body.entries.items() if name not in STEP_WORDS
    }
    steps[key.text] = StepText(
        name=key,
        operator=operator,
        parameters=parameters,
        implied_input=previous if "input" not in parameters else None,
        for_each=body.get("for_each"),
        materialize=shape.scalar(body.get("materialize"), f"'materialize' of {what}"),
        learn_on=shape.scalar(body.get("learn_on"), f"'learn_on' of {what}"),
        about=shape.text(body.get("about"), "'about'"),
        chain=path,
    )
    return key


def _with_operator(body: Fields, what: str, shape: Shape) -> Fields:
    """Returns a step with its 'operator', even if that word is misspelt."""
    if "operator" in body:
        return body
    meant = closest("operator", list(body.entries))
    if meant is None:
        return body
    key, node = body.entries[meant]
    shape.error(f"unknown key {meant!r} in {what}", key.place, "did you mean 'operator'?")
    others = {name: entry for name, entry in body.entries.items() if name != meant}
    return Fields({"operator": (key, node), **others}, body.place)
