"""Names that a database would cut off are refused before anything runs."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.compile import Names
from miningflow.errors import Diagnostic, Place, RunError
from miningflow.resolve import BoundCase
from miningflow.store.sources import SourceLocation

_OF_A_RUN = "__123456"


def refuse_long_names(
    bound: BoundCase, locations: Mapping[str, SourceLocation], longest: int | None
) -> None:
    """Refuses names of the case that are longer than a database allows, all of them together."""
    if longest is None:
        return
    diagnostics: list[Diagnostic] = []

    def check(what: str, name: str, place: Place | None, room: int = longest) -> None:
        size = len(name.encode())
        if size > room:
            message = f"the name of {what} {name!r} has {size} bytes; the store allows {room}"
            diagnostics.append(Diagnostic(message, place, "give it a shorter name, or use DuckDB"))

    names = Names(bound.name)
    added = len(names.schema) - len(bound.name)
    check("case", bound.name, bound.case.name.place, longest - added)
    seen: set[str] = set()
    places = {name: location.scalar.place for name, location in locations.items()}
    places |= {name: step.place() for name, step in bound.steps.items()}
    for name, place in places.items():
        what = "step" if name in bound.steps else "concept"
        check(what, name, place, longest - len(_OF_A_RUN))
        for feature in bound.concept(name).features:
            if feature not in seen:
                seen.add(feature)
                check("feature", feature, place)
    if diagnostics:
        raise RunError(*diagnostics)
