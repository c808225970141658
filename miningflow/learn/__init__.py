"""Learning algorithms on arrays, usable alone; they know no table and no SQL.

Nothing is imported here: scikit-learn takes a second to load, and compiling a case needs none.
"""
