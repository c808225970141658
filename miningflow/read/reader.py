"""Reads a case file into a `Case`; all errors of shape are collected and reported together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from miningflow.errors import Diagnostic, ReadError
from miningflow.names import NAMES_HINT, can_be_name
from miningflow.nodes import Fields, Items, Node, Scalar
from miningflow.read.case import Case, ConceptText, RelationText
from miningflow.read.case_tests import read_data_tests, read_tests
from miningflow.read.connections import connection_of
from miningflow.read.shape import Shape
from miningflow.read.steps import read_steps
from miningflow.read.yaml_file import parse_yaml, read_yaml

TOP = (
    "case",
    "about",
    "concepts",
    "relations",
    "steps",
    "scoring",
    "tests",
    "data_tests",
    "connect",
)
CONCEPT_WORDS = ("key", "features", "holdout", "about")


def read_case(path: Path, text: str | None = None) -> Case:
    """Reads a case from a file, or from text as if it stood in that file.

    Mistakes of form are noted in the case, so that those of its other parts are found as well. They
    are raised here only if there is nothing else to look at.
    """
    diagnostics: list[Diagnostic] = []
    root = (
        read_yaml(path, diagnostics) if text is None else parse_yaml(text, str(path), diagnostics)
    )
    case = _case(path, root, Shape(diagnostics))
    if diagnostics and not (case.concepts and case.steps):
        raise ReadError(*diagnostics)
    return replace(case, mistakes=tuple(diagnostics))


def _case(path: Path, written: Fields, shape: Shape) -> Case:
    root = shape.known(written, TOP, "case")
    name = shape.scalar(shape.required(root, "case", "a case"), "'case'")
    steps, chains = read_steps(
        shape.fields(shape.required(root, "steps", "a case"), "'steps'"), shape
    )
    connect = root.get("connect")
    case = Case(
        path=path,
        name=name or Scalar("(no name)", "text", root.place),
        about=shape.text(root.get("about"), "'about'"),
        concepts=_concepts(
            shape.fields(shape.required(root, "concepts", "a case"), "'concepts'"), shape
        ),
        relations=_relations(shape.fields(root.get("relations"), "'relations'"), shape),
        steps=steps,
        chains={name.text: last for name, last in chains.items()},
        chain_names=tuple(chains),
        scoring=shape.scalar(root.get("scoring"), "'scoring'"),
        connect=connection_of(connect, path.parent, shape, path.parent) if connect else None,
        tests=read_tests(shape.fields(root.get("tests"), "'tests'"), shape),
        data_tests=read_data_tests(shape.fields(root.get("data_tests"), "'data_tests'"), shape),
    )
    _check_names(case, shape)
    return replace(case, unreadable=frozenset(shape.unreadable))


def _concepts(fields: Fields | None, shape: Shape) -> dict[str, ConceptText]:
    found: dict[str, ConceptText] = {}
    for key, node in fields or ():
        body = shape.entry(key, node, "concept", "give it 'features'")
        if body is None:
            continue
        count = len(shape.diagnostics)
        body = shape.known(body, CONCEPT_WORDS, f"concept {key.text!r}")
        features = shape.fields(
            shape.required(body, "features", f"concept {key.text!r}"), f"'features' of {key.text!r}"
        )
        found[key.text] = concept = ConceptText(
            name=key,
            key=shape.scalar(body.get("key"), f"'key' of {key.text!r}"),
            features=_features(features, shape),
            holdout=shape.fields(body.get("holdout"), f"'holdout' of {key.text!r}"),
            about=shape.text(body.get("about"), "'about'"),
        )
        lost = features is None or len(concept.features) < len(features.entries)
        other_words = any(name not in CONCEPT_WORDS for name in body.entries)
        lost_key = concept.key is None and ("key" in body or other_words)
        if len(shape.diagnostics) > count and (lost or lost_key):
            shape.unreadable.add(key.text)
    return found


def _features(fields: Fields | None, shape: Shape) -> tuple[tuple[Scalar, Scalar], ...]:
    found: list[tuple[Scalar, Scalar]] = []
    for key, node in fields or ():
        if isinstance(node, Fields):
            body = shape.known(node, ("type", "about"), f"feature {key.text!r}")
            node_type = shape.scalar(
                shape.required(body, "type", f"feature {key.text!r}"), f"'type' of {key.text!r}"
            )
        else:
            node_type = shape.scalar(node, f"the type of feature {key.text!r}")
        if node_type is not None:
            found.append((key, node_type))
    return tuple(found)


def _relations(fields: Fields | None, shape: Shape) -> dict[str, RelationText]:
    found: dict[str, RelationText] = {}
    for key, node in fields or ():
        body = shape.entry(key, node, "relation", "give it 'from' and 'to'")
        if body is None:
            continue
        body = shape.known(body, ("from", "to", "through", "about"), f"relation {key.text!r}")
        start = shape.scalar(shape.required(body, "from", f"relation {key.text!r}"), "'from'")
        end = shape.scalar(shape.required(body, "to", f"relation {key.text!r}"), "'to'")
        through = _through(body.get("through"), shape)
        if start and end and (through or "through" not in body):
            found[key.text] = RelationText(key, start, end, through)
        else:
            shape.unreadable.add(key.text)
    return found


def _through(node: Node | None, shape: Shape) -> tuple[Scalar, Scalar] | None:
    """Reads the two features of a cross table."""
    if node is None:
        return None
    ends = node.items if isinstance(node, Items) else ()
    if len(ends) != 2:
        shape.error(
            "'through' takes two features of the cross table: the one that points to 'from', "
            "then the one that points to 'to'",
            node.place,
            "for example [Purchase.customer_id, Purchase.product_id]",
        )
        return None
    first, second = (shape.scalar(end, "a feature of 'through'") for end in ends)
    return (first, second) if first and second else None


def _check_names(case: Case, shape: Shape) -> None:
    """Notes names that a database cannot hold, or cannot tell apart."""
    named = [c.name for c in case.concepts.values()]
    named += [s.name for s in case.steps.values()]
    named += case.chain_names
    seen: dict[str, Scalar] = {}
    for name in named:
        other = seen.setdefault(name.text.casefold(), name)
        if other is not name:
            what = (
                "names two things"
                if other.text == name.text
                else (f"and {other.text!r} differ only in case, which databases do not tell apart")
            )
            shape.error(
                f"{name.text!r} {what}", name.place, f"the other is at line {other.place.line}"
            )
        if "." in name.text or "[" in name.text:
            shape.error(
                f"the name {name.text!r} contains '.' or '['", name.place, "use '_' instead"
            )
    features = [name for c in case.concepts.values() for name, _ in c.features]
    for name in [case.name, *named, *features]:
        if not can_be_name(name.text):
            shape.error(f"{name.text[:40]!r} cannot be a name", name.place, NAMES_HINT)
    _check_features(case, shape)


def _check_features(case: Case, shape: Shape) -> None:
    for concept in case.concepts.values():
        features: dict[str, Scalar] = {}
        for feature, _ in concept.features:
            other = features.setdefault(feature.text.casefold(), feature)
            if other is not feature:
                shape.error(
                    f"features {other.text!r} and {feature.text!r} differ only in case, "
                    "which databases do not tell apart",
                    feature.place,
                    "rename one; `columns:` of the connection maps it to its column",
                )
