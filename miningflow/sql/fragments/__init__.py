"""SQL expressions of a case: parsed, checked against the features, never pasted."""

from miningflow.sql.fragments.fragment import (
    Fragment,
    FragmentMistake,
    parse_aggregate,
    parse_condition,
    parse_expression,
)

__all__ = ["Fragment", "FragmentMistake", "parse_aggregate", "parse_condition", "parse_expression"]
