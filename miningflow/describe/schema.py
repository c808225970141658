"""The JSON Schema of case files, generated from the operator declarations."""

from __future__ import annotations

from miningflow.catalog import Catalog
from miningflow.declare.concept import FEATURE_TYPES
from miningflow.declare.kinds.kind import Schema
from miningflow.declare.kinds.written import NAME
from miningflow.declare.operator import Operator
from miningflow.declare.parameters import Parameter
from miningflow.describe.schema_tests import data_test_schema, test_schema
from miningflow.engines.csv_reading import ENCODINGS
from miningflow.engines.key_types import KEY_TYPES


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
                **NAME,
                "description": "The name of the case; results go to the schema <case>_results.",
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
            "scoring": {**NAME, "description": "The step that `miningflow score` applies."},
            "tests": {
                "type": "object",
                "description": "Given rows, and the rows that a step should make of them.",
                "additionalProperties": {"$ref": "#/definitions/test"},
            },
            "data_tests": {
                "type": "object",
                "description": "Concept or step → rules for its rows.",
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
            "key": {**NAME, "description": "The feature that identifies a row."},
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
                **NAME,
                "description": "Concept.feature on the many side; with 'through', a key.",
            },
            "to": {**NAME, "description": "Concept.feature that is led to: the concept's key."},
            "through": {
                "type": "array",
                "items": NAME,
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
            "file": {**NAME, "description": "A CSV or Parquet file, or a glob of several."},
            "table": {**NAME, "description": "A table of the store: table or schema.table."},
            "columns": {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [
                        NAME,
                        {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "column": {**NAME, "description": "The name of the column."},
                                "as": {
                                    "enum": list(KEY_TYPES),
                                    "description": "What the values of a key are read as.",
                                },
                            },
                        },
                    ]
                },
                "description": "Feature → column, where they differ.",
            },
            "delimiter": {**NAME, "description": "What separates the values of a CSV file."},
            "decimal": {**NAME, "description": "The decimal sign of numbers in a CSV file."},
            "thousands": {**NAME, "description": "What separates thousands in a CSV file."},
            "date_format": {
                "anyOf": [NAME, {"type": "array", "items": NAME}],
                "description": "How times are written in a CSV file, such as %d.%m.%Y.",
            },
            "null_values": {
                "anyOf": [NAME, {"type": "array", "items": NAME}],
                "description": "Texts of a CSV file that stand for a missing value.",
            },
            "encoding": {
                "enum": list(ENCODINGS),
                "description": "The encoding of a CSV file; utf-8 if none is given.",
            },
            "number_rows": {
                **NAME,
                "description": "The key that becomes the number of the row, for files without one.",
            },
        },
        "oneOf": [{"required": ["file"]}, {"required": ["table"]}],
    }
    return {
        "type": "object",
        "description": "Where the data are and the results go.",
        "additionalProperties": False,
        "properties": {
            "store": {
                **NAME,
                "description": "The database: duckdb:///case.duckdb or postgresql://user@host/database.",
            },
            "repository": {
                **NAME,
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
            "input": NAME,
            "about": {"type": "string"},
        },
    }
    operators = {
        "enum": list(catalog.words),
        "description": "What the step does; operators have a name, and most a short name.",
    }
    return {
        "type": "object",
        "anyOf": [chain, {"required": ["operator"], "properties": {"operator": operators}}],
        "allOf": [
            {
                "if": {"properties": {"operator": _names(cls)}, "required": ["operator"]},
                "then": _operator(cls),
            }
            for cls in catalog.values()
        ],
    }


def _names(cls: type[Operator]) -> Schema:
    return {"enum": [cls.__name__, cls.alias]} if cls.alias else {"const": cls.__name__}


def _operator(cls: type[Operator]) -> Schema:
    properties = {p.name: _parameter(p) for p in cls.parameters()}
    # a loop or a chain may supply what would otherwise have to be given
    needed = [p.name for p in cls.parameters() if p.obligatory and p.name != "input"]
    return {
        "description": cls.doc(),
        "additionalProperties": False,
        "anyOf": [{"required": needed}, {"required": ["for_each"]}],
        "properties": {
            "operator": {**_names(cls), "description": cls.doc()},
            "about": {"type": "string", "description": "Why this step is there."},
            "materialize": {"enum": ["view", "table"], "description": "How the step is built."},
            "for_each": {
                "type": ["object", "array"],
                "description": "Repeats the step: {parameter: [values]} or a list of maps.",
            },
            "learn_on": {**NAME, "description": "The concept to learn on instead of the input."},
            **properties,
        },
    }


_LIMITS = ("enum", "minimum", "maximum")  # they stand after the text


def _parameter(parameter: Parameter) -> Schema:
    schema = dict(parameter.kind.schema())
    limits = {name: schema.pop(name) for name in [*schema] if name in _LIMITS}
    schema["description"] = f"{parameter.text} ({parameter.kind.takes()})"
    schema |= limits
    if not parameter.obligatory and parameter.default is not None:
        schema["default"] = parameter.plain(parameter.default)
    return schema
