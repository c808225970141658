"""Which operators are installed, what they are called, and which are meant by a search."""

from miningflow.catalog.catalog import Catalog
from miningflow.catalog.installed import installed
from miningflow.catalog.search import meant, operator_hint, search, search_hint

__all__ = ["Catalog", "installed", "meant", "operator_hint", "search", "search_hint"]
