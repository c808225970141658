"""Types of keys: keys that meet must be of one type, and no key is compared as a double."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from miningflow.engines.engine import Session, TypeFamily

KeyType = Literal["integer", "text", "date", "timestamp"]
KEY_TYPES: tuple[KeyType, ...] = get_args(KeyType)

# Below that, every whole number has a distinct double.
EXACT_DOUBLES = 9007199254740992
WHOLE_NUMBER = "^[+-]?[0-9]{1,38}$"
DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
TIMESTAMP = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?)?$"


def key_type(session: Session, sql_type: str) -> KeyType | None:
    """Returns what keys in a column of this type are; None: they cannot be keys as they stand."""
    return key_type_of(session.family(sql_type), sql_type)


def key_type_of(family: TypeFamily, sql_type: str) -> KeyType | None:
    """Returns what keys of a family are; only the type itself tells dates from timestamps."""
    match family:
        case "number":
            return "integer"
        case "text":
            return "text"
        case "time":
            return "date" if sql_type.casefold() == "date" else "timestamp"
        case _:
            return None
