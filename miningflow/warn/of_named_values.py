"""Warnings about values that a step names and that no row has."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from miningflow.sql.any_column import same_code
from miningflow.warn.result_warning import ResultWarning

VALUES_SHOWN = 6


def named_value_warnings(
    step: str,
    feature: str,
    named: Collection[str],
    known: Collection[str],
    only_spelling: bool = False,
) -> Iterator[ResultWarning]:
    """Warns of a value that occurs in another spelling only, and if none of the values occurs."""
    missing = sorted(value for value in named if value not in known)
    if not missing or not known:
        return
    otherwise = {value: other for value in missing if (other := _spelling(value, known))}
    if otherwise:
        shown = ", ".join(f"{v!r} ({o!r} does)" for v, o in list(otherwise.items())[:VALUES_SHOWN])
        yield ResultWarning(
            "value_never_occurs",
            step,
            f"no row has the value {shown}",
            "write it as the rows have it; numbers are written without `.0`, Booleans `true`",
            (feature,),
        )
    elif len(missing) == len(named) and not only_spelling:
        yield ResultWarning(
            "value_never_occurs",
            step,
            f"no row has {_shown(missing)}; its values are {_shown(sorted(known))}",
            "check the spelling",
            (feature,),
        )


def _spelling(value: str, known: Collection[str]) -> str | None:
    """Returns a value that means the same, or differs in case or in spaces around it only."""
    alike = (k for k in known if same_code(k, value) or _plain(k) == _plain(value))
    return next(alike, None)


def _plain(value: str) -> str:
    return value.strip().casefold()


def _shown(values: Collection[str]) -> str:
    shown = ", ".join(repr(value) for value in list(values)[:VALUES_SHOWN])
    return f"{shown} and {len(values) - VALUES_SHOWN} more" if len(values) > VALUES_SHOWN else shown
