"""`lineage`: OpenLineage events of what was last published."""

from __future__ import annotations

from miningflow.export import ExportRequest, freeze_case, lineage_text, published_runs
from miningflow.pipeline import reading, store_dialect
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.store.opening import needed
from miningflow.store.sources import locate_sources


def lineage(bound: BoundCase, connection: ConnectionText | None) -> str:
    """Returns OpenLineage events, one per line, of what was last published. Changes nothing."""
    connection = needed(bound.case, connection)
    locations = locate_sources(bound, connection)
    request = ExportRequest("script", store_dialect(connection), "", ".")
    with reading(bound, connection) as store:
        frozen = freeze_case(bound, store, locations, bound.case.path.parent, request)
        assert store is not None, "without a store there is nothing to freeze"
        return lineage_text(frozen, published_runs(bound, connection, store, locations))
