"""The forms that a case can be exported to."""

from __future__ import annotations

from miningflow.export.frozen import Files, FrozenCase
from miningflow.export.script import script_files

WRITERS = {"script": script_files}


def exported_files(frozen: FrozenCase) -> Files:
    """Writes the files of a frozen case in the form that was asked for."""
    return WRITERS[frozen.request.form](frozen)
