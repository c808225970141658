"""The example of an operator as plain data: changed, written as a case, and run."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from miningflow.catalog import installed
from miningflow.declare import Operator
from miningflow.declare.kinds.concepts import ConceptList, ConceptName, RelationName, RelationPath
from miningflow.declare.kinds.qualified_features import (
    CollectedFeatures,
    FeatureOfEach,
    Renaming,
)
from miningflow.declare.parameters import Parameter
from miningflow.project import LoadedCase
from support import example_data
from support.trusting import load_trusted

_PARTS: list[dict[str, Any]] = [
    yaml.safe_load(text) for text in (example_data.CONCEPTS, example_data.SHOP)
]
_GIVEN: dict[str, Any] = {
    name: {**_PARTS[0][name], **_PARTS[1][name]} for name in ("concepts", "relations")
}
_WORDS = re.compile(r"'(?:[^']|'')*'|[^\W\d]\w*")


@dataclass
class ExampleCase:
    """A case with an example step (`step`), over the concepts that examples speak of.

    Other steps come before it, if it needs what only a step makes.
    """

    operator: type[Operator]
    step: str
    steps: dict[str, dict[str, Any]]
    concepts: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(_GIVEN["concepts"]))
    relations: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(_GIVEN["relations"]))
    data: dict[str, pa.Table] = field(
        default_factory=lambda: {**example_data.tables(), **example_data.shop()}
    )

    @property
    def body(self) -> dict[str, Any]:
        """Returns the parameters of the example step."""
        return self.steps[self.step]

    def load(
        self, folder: Path, store: str = "duckdb:///store.duckdb", repository: str | None = None
    ) -> LoadedCase:
        """Writes the case and its data into a folder and loads it."""
        folder.mkdir(parents=True, exist_ok=True)
        relations, concepts = self._used()
        files = {name: f"source_{i}.parquet" for i, name in enumerate(concepts)}
        example_data.write(folder, {Path(f).stem: self.data[n] for n, f in files.items()})
        content = {
            "case": "example",
            "concepts": concepts,
            "relations": relations,
            "steps": self.steps,
            "connect": {
                "store": store,
                **({"repository": repository} if repository else {}),
                "concepts": {name: {"file": file} for name, file in files.items()},
            },
        }
        path = folder / "case.yml"
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
        return load_trusted(path)

    def _used(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the relations and concepts that the steps name: others would only be loaded."""
        named: set[str] = set()
        for step in self.steps.values():
            for value in step.values():
                named.update(map(str, value if isinstance(value, list) else [value]))
        relations = {name: ends for name, ends in self.relations.items() if name in named}
        for ends in relations.values():
            texts = [ends["from"], ends["to"], *ends.get("through", ())]
            named |= {end.partition(".")[0] for end in texts}
        return relations, {name: c for name, c in self.concepts.items() if name in named}

    def named_concepts(self) -> list[tuple[str, str]]:
        """Lists the concepts that the step reads, each with the parameter that names it."""
        found: list[tuple[str, str]] = []
        for parameter in self.operator.parameters():
            value: Any = self.body.get(parameter.name)
            if isinstance(parameter.kind, RelationName):
                many = self.relations[value]["from"].partition(".")[0]
                found.append((self.body.get(parameter.kind.many, many), parameter.name))
            elif isinstance(parameter.kind, CollectedFeatures):  # concepts that a path leads to
                owners = dict.fromkeys(end.partition(".")[0] for end in value)
                found += [(owner, parameter.kind.of) for owner in owners]
            elif value is not None and isinstance(parameter.kind, ConceptName | ConceptList):
                names = value if isinstance(value, list) else [value]
                found += [(name, parameter.name) for name in names]
        return found

    def put_before(self, concept: str, name: str, step: Mapping[str, Any]) -> None:
        """Puts a step between a concept and the example step."""
        for parameter in self.operator.parameters():
            value: Any = self.body.get(parameter.name)
            kind = parameter.kind
            named = (concept, parameter.name) in self.named_concepts()
            if isinstance(kind, RelationName) and named:
                self.body[kind.many] = name
            elif isinstance(kind, RelationPath) and named:
                self.body[kind.many] = [*self.body.get(kind.many, ()), name]
            elif isinstance(kind, ConceptName) and value == concept:
                self.body[parameter.name] = name
            elif isinstance(kind, ConceptList) and value:
                self.body[parameter.name] = [name if v == concept else v for v in value]
            elif isinstance(kind, Renaming) and value:
                self.body[parameter.name] = {
                    (f"{name}.{k.partition('.')[2]}" if k.startswith(f"{concept}.") else k): v
                    for k, v in value.items()
                }
            elif isinstance(kind, FeatureOfEach | CollectedFeatures) and value:
                self.body[parameter.name] = [
                    f"{name}.{k.partition('.')[2]}" if k.startswith(f"{concept}.") else k
                    for k in value
                ]
        body = self.steps.pop(self.step)
        self.steps = {**self.steps, name: {**step, "input": concept}, self.step: body}

    def drop_before(self, features: list[str], concept: str) -> None:
        """Deselects features of a concept before the example step reads it."""
        self.put_before(
            concept, "dropped", {"operator": "FeatureSelectionByAttributes", "drop": features}
        )


def example_of(operator: type[Operator], changes: Mapping[str, Any] | None = None) -> ExampleCase:
    """Returns the example of an operator; a change to None takes a parameter out."""
    parsed: dict[str, dict[str, Any]] = yaml.safe_load(operator.example)
    *before, step = parsed
    body = {**parsed[step], **(changes or {})}
    steps = {name: parsed[name] for name in before}
    steps[step] = {name: value for name, value in body.items() if value is not None}
    return ExampleCase(operator, step, steps)


def named_features(parameter: Parameter, value: Any) -> list[str]:
    """Lists the features that the value of a parameter names, in a written step."""
    match parameter.kind.word:
        case "feature":
            return [value]
        case "features":
            return list(value)
        case "expression" | "condition":
            return [w for w in _WORDS.findall(value) if w in _all_features()]
        case "conditions":
            return [item["feature"] for item in value]
        case "aggregates":
            texts = " ".join(value.values())
            return [w for w in _WORDS.findall(texts) if w in _all_features()]
        case "collected":
            return [end.partition(".")[2] for end in value]
        case "feature_values" | "feature_labels":
            return list(value)
    return []


def without(parameter: Parameter, value: Any, feature: str) -> Any:
    """Takes what names a feature out of the value of a list or map parameter."""
    if isinstance(value, list):
        return [item for item in value if feature not in named_features(parameter, [item])]
    return {
        name: given
        for name, given in value.items()
        if feature not in named_features(parameter, {name: given})
    }


def _all_features() -> set[str]:
    return {name for concept in _GIVEN["concepts"].values() for name in concept["features"]}


def renamed(
    example: ExampleCase, concept: Callable[[str], str], feature: Callable[[str], str]
) -> ExampleCase:
    """Returns every concept, step, relation and feature of an example another name."""
    other = copy.copy(example)
    other.step = concept(example.step)
    other.concepts = {
        concept(name): {
            "key": feature(body["key"]),
            "features": {feature(f): t for f, t in body["features"].items()},
        }
        for name, body in example.concepts.items()
    }
    end = _end(concept, feature)
    other.relations = {
        concept(name): {
            side: [end(t) for t in text] if isinstance(text, list) else end(text)
            for side, text in body.items()
        }
        for name, body in example.relations.items()
    }
    other.data = {
        concept(name): table.rename_columns([feature(c) for c in table.column_names])
        for name, table in example.data.items()
    }
    other.steps = {}
    for step, body in example.steps.items():
        kinds = {p.name: p.kind.word for p in installed()[body["operator"]].parameters()}
        other.steps[concept(step)] = {
            name: _renamed_value(kinds.get(name, ""), value, concept, feature)
            for name, value in body.items()
        }
    return other


def _renamed_value(
    kind: str, value: Any, concept: Callable[[str], str], feature: Callable[[str], str]
) -> Any:
    end = _end(concept, feature)
    match kind:
        case "concept" | "relation":
            return concept(value)
        case "concepts" | "path":
            return [concept(name) for name in value]
        case "feature" | "new_feature":
            return feature(value)
        case "features":
            return [feature(name) for name in value]
        case "feature_values" | "feature_labels" if isinstance(value, dict):
            return {feature(name): given for name, given in value.items()}
        case "expression" | "condition":
            return _renamed_sql(value, feature)
        case "conditions":
            return [{**item, "feature": feature(item["feature"])} for item in value]
        case "aggregates":
            return {feature(name): _renamed_sql(sql, feature) for name, sql in value.items()}
        case "rename":
            return {end(old): feature(new) for old, new in value.items()}
        case "ends" | "collected":
            return [end(text) for text in value]
    return value


def _end(concept: Callable[[str], str], feature: Callable[[str], str]) -> Callable[[str], str]:
    def end(text: str) -> str:
        owner, _, name = text.partition(".")
        return f"{concept(owner)}.{feature(name)}"

    return end


def _renamed_sql(sql: str, feature: Callable[[str], str]) -> str:
    known = _all_features()

    def replacement(match: re.Match[str]) -> str:
        word = match.group()
        if word not in known:
            return word
        return '"' + feature(word).replace('"', '""') + '"'

    return _WORDS.sub(replacement, sql)


OPERATORS: list[type[Operator]] = list(installed().values())
