"""The repository (M4): what every case is, what was learned, what was built, by which run."""

from miningflow.repository.repository import MadeObject, ParityRecord, Repository, StepRecord

__all__ = ["MadeObject", "ParityRecord", "Repository", "StepRecord"]
