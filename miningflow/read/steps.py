"""Reads steps and flattens chains: a chain groups steps and lets the next one omit its input."""

from __future__ import annotations

from miningflow.read.case import StepText
from miningflow.read.nodes import Fields, Node, Scalar
from miningflow.read.shape import Shape

STEP_WORDS = ("operator", "about", "for_each", "materialize", "learn_on")


def read_steps(
    fields: Fields | None, shape: Shape
) -> tuple[dict[str, StepText], dict[Scalar, str]]:
    """Reads all steps; also gives for each chain the name of its last step."""
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
        body = shape.fields(node, f"step {key.text!r}")
        if body is None:
            if isinstance(node, Scalar) and node.kind == "null":
                shape.mistake(f"step {key.text!r} is empty", key.place, "give it an 'operator'")
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
    shape.known(body, ("chain", "input", "about"), f"chain {key.text!r}")
    members = shape.fields(body.get("chain"), f"'chain' of {key.text!r}")
    given = shape.scalar(body.get("input"), f"'input' of {key.text!r}")
    if members is None:
        return None
    count = len(steps)
    last = _walk(members, given or previous, (*path, key.text), steps, chains, shape)
    if len(members.entries) == 0:
        shape.mistake(f"chain {key.text!r} has no steps", key.place, "give it some, or remove it")
    if last is not None and len(steps) > count:
        chains[key] = last.text
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
    operator = shape.scalar(shape.required(body, "operator", what), f"'operator' of {what}")
    if operator is None:
        return None
    if key.text in steps:
        shape.mistake(f"there are two steps called {key.text!r}", key.place)
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
