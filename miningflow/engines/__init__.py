"""The only files that import a driver: one engine per kind of database."""

from miningflow.engines.engine import Engine, Session
from miningflow.engines.opening import open_engine

__all__ = ["Engine", "Session", "open_engine"]
