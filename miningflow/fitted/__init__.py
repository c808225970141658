"""Fitted scikit-learn machines as SQL: transformers and machine read, and printed as one SELECT."""

from miningflow.fitted.script import FittedScript, to_sql

__all__ = ["FittedScript", "to_sql"]
