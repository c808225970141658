"""One place in a database: opening it, its lock, its objects, builds and sources."""

from miningflow.store.opening import Store, open_store
from miningflow.store.source_versions import source_versions
from miningflow.store.sources import SourceLocation, locate_sources

__all__ = ["SourceLocation", "Store", "locate_sources", "open_store", "source_versions"]
