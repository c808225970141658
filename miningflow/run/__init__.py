"""Phase 5, run: executes stages, learns where asked, places results, records everything."""

from miningflow.run.events import Event
from miningflow.run.report import Report, StageReport
from miningflow.run.runner import run_plan

__all__ = ["Event", "Report", "StageReport", "run_plan"]
