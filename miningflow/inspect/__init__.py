"""Looks at tables that no case describes yet: types, keys and relations, found by statistics.

Statistics are computed in the database; only they, and a few values, reach Python.
"""
