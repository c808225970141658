"""Phase 4, compile: a bound case + learned artifacts → SQL. Pure: no database.

The way from YAML to SQL, in the order of the files to read:

    case.py           the whole case, step after step, on what earlier runs learned
    segments.py       one step: once for each segment of its input, put together
    pieces.py         one step in one segment: the operator's block of SQL, and what is present
    statements.py     CREATE VIEW or TABLE of a piece, and the types of columns
    script.py         all pieces before a model as one SELECT that scores new rows
    functions.py      a model as a function of the database
    data_tests.py     the rows that break a rule, as a query
    names.py          the names that all this has in a store
    stored_builds.py  what the store passes in: builds, and a function that loads artifacts
    published.py      which of these builds are still what the case says
    missing.py        why a step has no SQL yet
"""

from miningflow.compile.case import Compiled, compile_bound
from miningflow.compile.missing import Missing
from miningflow.compile.names import Names
from miningflow.compile.pieces import Piece, compile_source
from miningflow.compile.published import PublishedBuilds, published_builds, published_selections
from miningflow.compile.script import ScoreScript, rows_script, score_script
from miningflow.compile.segments import compile_step
from miningflow.compile.statements import Statement, create_statement, typed_source
from miningflow.compile.stored_builds import StoredBuilds

__all__ = [
    "Compiled",
    "Missing",
    "Names",
    "Piece",
    "PublishedBuilds",
    "ScoreScript",
    "Statement",
    "StoredBuilds",
    "compile_bound",
    "compile_source",
    "compile_step",
    "create_statement",
    "published_builds",
    "published_selections",
    "rows_script",
    "score_script",
    "typed_source",
]
