"""Scoring in SQL against fetching rows, and against other SQL."""
