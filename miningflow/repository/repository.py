"""The repository: a section for each thing it knows, behind one class."""

from __future__ import annotations

from miningflow.repository.artifacts import Artifacts
from miningflow.repository.builds import Builds
from miningflow.repository.concept_statistics import StoredStatistics
from miningflow.repository.file_versions import FileVersions
from miningflow.repository.mending import Mending
from miningflow.repository.objects import Objects
from miningflow.repository.parity import Parities
from miningflow.repository.publication import Publication
from miningflow.repository.runs import Runs


class Repository(
    Runs,
    Builds,
    Artifacts,
    Parities,
    StoredStatistics,
    Objects,
    Publication,
    FileVersions,
    Mending,
):
    """The repository of one store; every public method is one short transaction."""
