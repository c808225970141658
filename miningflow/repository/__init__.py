"""The repository (M4): what every case is, what was learned, what was built, by which run.

Its records are offered here; `repository.repository` talks to a database, and loads SQLAlchemy.
"""

from miningflow.repository.records import MadeObject, ParityRecord, RunRecord, StepRecord
from miningflow.repository.run_origin import RunOrigin

__all__ = ["MadeObject", "ParityRecord", "RunOrigin", "RunRecord", "StepRecord"]
