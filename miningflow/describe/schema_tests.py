"""The JSON Schema of `tests:` and `data_tests:`."""

from __future__ import annotations

from typing import Any

from miningflow.read.case_tests import DATA_TESTS
from miningflow.resolve.case_tests import LEARNED, TOLERANCE
from miningflow.resolve.data_tests import SEVERITIES

Schema = dict[str, Any]

_NAME: Schema = {"type": "string", "minLength": 1}
_NAMES: Schema = {"anyOf": [_NAME, {"type": "array", "items": _NAME, "minItems": 1}]}
_VALUE: Schema = {"type": ["string", "number", "boolean", "null"]}
_ROWS: Schema = {
    "type": "array",
    "items": {"type": "object", "additionalProperties": _VALUE},
}
_KNOWN: Schema = {"type": ["string", "number", "boolean"]}
_RULES: dict[str, Schema] = {
    "unique": {**_NAMES, "description": "No two rows are equal in all these features."},
    "not_null": {**_NAMES, "description": "These features are known in every row."},
    "accepted_values": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "anyOf": [_KNOWN, {"type": "array", "items": _KNOWN, "minItems": 1}]
        },
        "description": "Feature → the values that it may have, besides NULL.",
    },
    "range": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {
                "min": {**_KNOWN, "description": "The least value."},
                "max": {**_KNOWN, "description": "The greatest value."},
            },
        },
        "description": "Feature → the smallest and largest value it may have.",
    },
    "relation": {**_NAME, "description": "Every row points to a row that is there."},
    "expression": {**_NAME, "description": "A SQL condition that no row breaks."},
}


def test_schema() -> Schema:
    """Describes one test."""
    return {
        "type": "object",
        "required": ["step", "given", "expect"],
        "additionalProperties": False,
        "properties": {
            "about": {"type": "string"},
            "step": {**_NAME, "description": "The step that is tested."},
            "given": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": _ROWS,
                "description": "Concept or step → its rows; features left out are NULL.",
            },
            "expect": {
                **_ROWS,
                "description": "The rows that the step makes; only named features are compared.",
            },
            "learned": {
                "enum": list(LEARNED),
                "default": LEARNED[0],
                "description": "Whether steps learn from the given rows, or have learned before.",
            },
            "tolerance": {
                "type": "number",
                "minimum": 0,
                "exclusiveMaximum": 1,
                "default": TOLERANCE,
                "description": "How far numbers may be off, relative to their size from 1.",
            },
        },
    }


def data_test_schema() -> Schema:
    """Describes one rule for the rows of a concept."""
    return {
        "type": "object",
        "additionalProperties": False,
        "oneOf": [{"required": [kind]} for kind in DATA_TESTS],
        "properties": {
            **_RULES,
            "severity": {
                "enum": list(SEVERITIES),
                "default": SEVERITIES[0],
                "description": "Whether a broken rule is an error, or only a warning.",
            },
            "about": {"type": "string"},
        },
    }
