"""Phase 5, run: executes stages, learns where asked, places results, records everything."""

from miningflow.run.cleaning import clean_case
from miningflow.run.events import Event
from miningflow.run.frozen import frozen_pieces, stored_selections
from miningflow.run.keeping import built_before
from miningflow.run.report import Report, StageReport
from miningflow.run.runner import run_plan
from miningflow.run.scoring import Scores, score_rows
from miningflow.run.sources import SourceLocation, locate_sources, source_versions
from miningflow.run.store import Store, open_store

__all__ = [
    "Event",
    "Report",
    "Scores",
    "SourceLocation",
    "StageReport",
    "Store",
    "built_before",
    "clean_case",
    "frozen_pieces",
    "locate_sources",
    "open_store",
    "run_plan",
    "score_rows",
    "source_versions",
    "stored_selections",
]
