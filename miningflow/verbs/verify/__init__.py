"""`verify`: a case runs on several stores, and what it made there is compared row by row."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from miningflow.compile import Piece
from miningflow.errors import Diagnostic, RunError
from miningflow.pipeline import plan_on
from miningflow.read import ConnectionText
from miningflow.repository import RunOrigin
from miningflow.resolve import BoundCase
from miningflow.run.events import Listener, silent
from miningflow.run.exporting import exports_of
from miningflow.store.cleaning import clean_case
from miningflow.store.opening import Store, open_store, refuse_same_stores
from miningflow.store.snapshot import take_snapshot
from miningflow.store.sources import locate_sources
from miningflow.verbs.move.artifacts import hand_over
from miningflow.verbs.verify.row_comparison import TOLERANCE
from miningflow.verbs.verify.stores import (
    Site,
    Verification,
    compare_stores,
    refuse_to_disturb,
    renamed,
    run_on,
)

__all__ = ["TOLERANCE", "Verification", "verify"]


def verify(
    bound: BoundCase,
    on: Sequence[ConnectionText],
    tolerance: float = TOLERANCE,
    learn_once: bool = False,
    keep: bool = False,
    listener: Listener = silent,
    wait: float = 0.0,
) -> list[Verification]:
    """Runs a case on several stores under another name, and compares all with the first.

    What it made there is dropped again unless `keep`. With `learn_once`, the others take over what
    was learned on the first.
    """
    if len(on) < 2:
        raise RunError(
            Diagnostic(
                "there are fewer than two stores to compare",
                None,
                "name another store, such as duckdb://, or a connection file",
            )
        )
    other_name = renamed(bound)
    refuse_same_stores(on)
    ran: list[tuple[Store, dict[str, Piece]]] = []
    with ExitStack() as stack:
        for connection in on:
            aside = stack.enter_context(TemporaryDirectory(prefix="miningflow-verify-"))
            exports = exports_of(other_name, Path(aside))
            opening = open_store(other_name.case, connection, wait, access=exports.access)
            store = stack.enter_context(opening)
            refuse_to_disturb(other_name, store)
            if not keep:
                stack.callback(clean_case, other_name.name, store)
            snapshot = take_snapshot(other_name.name, store)
            site = Site(store, snapshot, locate_sources(other_name, connection), exports)
            planned = plan_on(other_name, store, snapshot, site.locations)
            if learn_once and ran:
                hand_over(other_name, planned, ran[0][0], store, RunOrigin("verify"))
            ran.append((store, run_on(other_name, planned, site, listener)))
        first, *others = ran
        return [
            Verification(
                bound.name,
                first[0].url,
                other[0].url,
                compare_stores(other_name, first, other, tolerance, listener),
            )
            for other in others
        ]
