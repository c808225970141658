"""SQL expressions of a case: parsed, checked against the features, never pasted."""

from miningflow.sql.fragments.fragment import (
    Fragment,
    FragmentError,
    parse_aggregate,
    parse_condition,
    parse_expression,
)

__all__ = ["Fragment", "FragmentError", "parse_aggregate", "parse_condition", "parse_expression"]
