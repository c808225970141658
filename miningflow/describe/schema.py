"""The JSON Schema of case files, generated from the operator declarations."""

from __future__ import annotations

from typing import Any

from miningflow.catalog import Catalog
from miningflow.declare.concept import FEATURE_TYPES
from miningflow.declare.operator import Operator
from miningflow.declare.parameters import COMPARISONS, Parameter
from miningflow.describe.operators import takes
from miningflow.describe.schema_tests import data_test_schema, test_schema

Schema = dict[str, Any]

_NAME: Schema = {"type": "string", "minLength": 1}
_SCALAR: Schema = {"type": ["string", "number", "boolean"]}
_NAMES: Schema = {"anyOf": [_NAME, {"type": "array", "items": _NAME, "minItems": 1}]}
_MAP: Schema = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
}
_NEW_NAMES: Schema = {"type": "object", "additionalProperties": _NAME}
_VALUES: Schema = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [_SCALAR, {"type": "array", "items": _SCALAR, "minItems": 1}]
    },
    "minProperties": 1,
}
_KINDS: dict[str, Schema] = {
    "concept": _NAME,
    "concepts": {"type": "array", "items": _NAME},
    "relation": _NAME,
    "path": _NAMES,
    "feature": _NAME,
    "features": _NAMES,
    "new_feature": _NAME,
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "interval": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    "intervals": {"type": "object", "additionalProperties": _NAMES, "minProperties": 1},
    "cuts": {"type": "array", "items": {"type": "number"}, "minItems": 1},
    "weights": {"type": "array", "items": {"type": "number"}, "minItems": 1},
    "boolean": {"type": "boolean"},
    "choice": {"type": "string"},
    "literal": _SCALAR,
    "literals": {"type": "array", "items": _SCALAR},
    "literal_map": _MAP,
    "counts": {
        "type": "object",
        "additionalProperties": {"type": "integer", "minimum": 1},
        "minProperties": 1,
    },
    "value_groups": _VALUES,
    "expression": _SCALAR,
    "condition": _SCALAR,
    "conditions": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "feature": _NAME,
                "operator": {"enum": list(COMPARISONS)},
                "value": _SCALAR,
            },
            "required": ["feature", "operator", "value"],
            "additionalProperties": False,
        },
    },
    "aggregates": {"type": "object", "additionalProperties": _NAME, "minProperties": 1},
    "rename": _NEW_NAMES,
    "ends": {"type": "array", "items": _NAME},
    "collected": {"anyOf": [*_NAMES["anyOf"], _NEW_NAMES]},
    "feature_values": _VALUES,
    "export_path": {**_NAME, "pattern": r"^[^/~.\\:][^\\:]*$"},
    "feature_labels": {"anyOf": [*_NAMES["anyOf"], _MAP]},
}


def case_schema(catalog: Catalog) -> Schema:
    """Builds the schema: completion and hover help for editors."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "MiningFlow case",
        "type": "object",
        "required": ["case", "concepts", "steps"],
        "additionalProperties": False,
        "properties": {
            "case": {
                **_NAME,
                "description": "The name of the case; results lie in the schema <case>_results.",
            },
            "about": {"type": "string", "description": "What the case is for."},
            "concepts": {
                "type": "object",
                "description": "The source concepts: what the data are about.",
                "additionalProperties": {"$ref": "#/definitions/concept"},
            },
            "relations": {
                "type": "object",
                "description": "1:n and n:m relations between concepts.",
                "additionalProperties": {"$ref": "#/definitions/relation"},
            },
            "steps": {
                "type": "object",
                "description": "The steps; each makes a concept of its name.",
                "additionalProperties": {"$ref": "#/definitions/step"},
            },
            "scoring": {**_NAME, "description": "The step that `miningflow score` applies."},
            "tests": {
                "type": "object",
                "description": "Rows that are given, and rows that a step shall make of them.",
                "additionalProperties": {"$ref": "#/definitions/test"},
            },
            "data_tests": {
                "type": "object",
                "description": "Concept or step → rules that its rows obey.",
                "additionalProperties": {
                    "type": "array",
                    "items": {"$ref": "#/definitions/data_test"},
                },
            },
            "connect": {"$ref": "#/definitions/connection"},
        },
        "definitions": {
            "concept": _concept(),
            "relation": _relation(),
            "connection": _connection(),
            "step": _step(catalog),
            "test": test_schema(),
            "data_test": data_test_schema(),
        },
    }


def _concept() -> Schema:
    types = {"enum": list(FEATURE_TYPES)}
    described = {
        "type": "object",
        "properties": {"type": types, "about": {"type": "string"}},
        "required": ["type"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "required": ["features"],
        "additionalProperties": False,
        "properties": {
            "key": {**_NAME, "description": "The feature that identifies a row."},
            "about": {"type": "string"},
            "holdout": {
                "type": "object",
                "description": "The share of rows, chosen by key, that nothing is learned from.",
                "properties": {
                    "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                    "seed": {"type": "integer"},
                },
                "required": ["share"],
                "additionalProperties": False,
            },
            "features": {
                "type": "object",
                "description": "Feature → type: numeric, nominal, binary, time or key.",
                "additionalProperties": {"anyOf": [types, described]},
                "minProperties": 1,
            },
        },
    }


def _relation() -> Schema:
    return {
        "type": "object",
        "required": ["from", "to"],
        "additionalProperties": False,
        "properties": {
            "from": {
                **_NAME,
                "description": "Concept.feature on the many side; with 'through', a key.",
            },
            "to": {**_NAME, "description": "Concept.feature that is led to: the concept's key."},
            "through": {
                "type": "array",
                "items": _NAME,
                "minItems": 2,
                "maxItems": 2,
                "description": "The cross table of an n:m relation: its Concept.feature that "
                "points to 'from', then the one that points to 'to'.",
            },
            "about": {"type": "string"},
        },
    }


def _connection() -> Schema:
    source = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "file": {**_NAME, "description": "A CSV or Parquet file, or a glob of several."},
            "table": {**_NAME, "description": "A table of the store: table or schema.table."},
            "columns": {
                "type": "object",
                "additionalProperties": _NAME,
                "description": "Feature → column, where they differ.",
            },
            "delimiter": {**_NAME, "description": "What separates the values of a CSV file."},
            "number_rows": {
                **_NAME,
                "description": "The key that becomes the number of the row, for files without one.",
            },
        },
        "oneOf": [{"required": ["file"]}, {"required": ["table"]}],
    }
    return {
        "type": "object",
        "description": "Where the data lie and the results go.",
        "additionalProperties": False,
        "properties": {
            "store": {
                **_NAME,
                "description": "The database: duckdb:///case.duckdb or postgresql://user@host/database.",
            },
            "repository": {
                **_NAME,
                "description": "Where what was learned is kept, if not in the store.",
            },
            "concepts": {"type": "object", "additionalProperties": source},
            "about": {"type": "string"},
        },
    }


def _step(catalog: Catalog) -> Schema:
    chain = {
        "type": "object",
        "required": ["chain"],
        "additionalProperties": False,
        "properties": {
            "chain": {"type": "object", "additionalProperties": {"$ref": "#/definitions/step"}},
            "input": _NAME,
            "about": {"type": "string"},
        },
    }
    operators = {
        "enum": list(catalog),
        "description": "What the step does.",
    }
    return {
        "type": "object",
        "anyOf": [chain, {"required": ["operator"], "properties": {"operator": operators}}],
        "allOf": [
            {
                "if": {"properties": {"operator": {"const": name}}, "required": ["operator"]},
                "then": _operator(cls),
            }
            for name, cls in catalog.items()
        ],
    }


def _operator(cls: type[Operator]) -> Schema:
    properties = {p.name: _parameter(p) for p in cls.parameters()}
    # a loop or a chain may supply what would otherwise have to be given
    needed = [p.name for p in cls.parameters() if p.obligatory and p.name != "input"]
    return {
        "description": cls.doc(),
        "additionalProperties": False,
        "anyOf": [{"required": needed}, {"required": ["for_each"]}],
        "properties": {
            "operator": {"const": cls.__name__, "description": cls.doc()},
            "about": {"type": "string", "description": "Why this step is there."},
            "materialize": {"enum": ["view", "table"], "description": "How the step is built."},
            "for_each": {
                "type": ["object", "array"],
                "description": "Repeats the step: {parameter: [values]} or a list of small maps.",
            },
            "learn_on": {**_NAME, "description": "The concept to learn on instead of the input."},
            **properties,
        },
    }


def _parameter(parameter: Parameter) -> Schema:
    schema = dict(_KINDS[parameter.kind])
    schema["description"] = f"{parameter.text} ({takes(parameter)})"
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
        if "always" in parameter.choices:  # true and false mean always and never
            del schema["type"]
            schema["enum"] += [True, False]
    if parameter.kind in ("integer", "number"):
        if parameter.minimum is not None:
            schema["minimum"] = parameter.minimum
        if parameter.maximum is not None:
            schema["maximum"] = parameter.maximum
    if not parameter.obligatory and parameter.default is not None:
        value = parameter.default
        schema["default"] = list(value) if isinstance(value, tuple) else value
    return schema
