"""Searches over subsets of columns."""
