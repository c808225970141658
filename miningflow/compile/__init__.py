"""Phase 4, compile: stages + learned artifacts → SQL. Pure: no database."""

from miningflow.compile.names import Names
from miningflow.compile.pieces import Compiled, Piece, compile_source
from miningflow.compile.script import ScoreScript, score_script
from miningflow.compile.segments import compile_step
from miningflow.compile.statements import Statement, create_statement, typed_source

__all__ = [
    "Compiled",
    "Names",
    "Piece",
    "ScoreScript",
    "Statement",
    "compile_source",
    "compile_step",
    "create_statement",
    "score_script",
    "typed_source",
]
