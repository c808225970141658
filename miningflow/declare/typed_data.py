"""Plain data read against declared types: what a store holds is data, and may come from anyone."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np

ReadArray = Callable[[Any], "np.ndarray[Any, Any]"]
Shown = Annotated[float, "may be infinite"]
"""A number that is only shown to people, so that it need not be finite."""

LONGEST = 2**28
"""How many characters a text of data may have."""
_GREATEST = 2**63
_DEEPEST = 40


class UnfitDataError(ValueError):
    """Data that are not of the declared type: where in them, and why."""

    def __init__(self, path: Sequence[str], reason: str) -> None:
        super().__init__(f"{'.'.join(path) or 'content'}: {reason}")


def _no_array(value: Any) -> np.ndarray[Any, Any]:
    raise ValueError("there are no arrays")


def plain_data(text: Any) -> Any:
    """Reads JSON of a limited size and depth."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise UnfitDataError((), "no text, or one that is too long")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnfitDataError((), f"not JSON: {str(error)[:100]}") from None


def typed(hint: Any, value: Any, array: ReadArray = _no_array, path: tuple[str, ...] = ()) -> Any:
    """Returns a value of the declared type: dataclasses, containers, finite numbers, arrays.

    A dataclass may have a method `check_parts`, which raises ValueError if its parts do not fit
    together.
    """
    if len(path) > _DEEPEST:
        raise UnfitDataError(path[:3], "nested too deeply")
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return float(_number(value, path, finite=False))
    if origin in (typing.Union, types.UnionType):
        return typed(_alternative(arguments, value, path), value, array, path)
    if origin is Literal:
        return _expected(value in arguments, value, f"one of {arguments}", path)
    cls = origin or hint
    if cls is np.ndarray:
        return _array(value, array, path)
    if isinstance(cls, type) and dataclasses.is_dataclass(cls):
        return _object(cls, arguments, value, array, path)
    if cls is tuple:
        return _tuple(arguments, value, array, path)
    if cls is list:
        _expected(isinstance(value, list), value, "a list", path)
        return [typed(arguments[0], v, array, (*path, str(i))) for i, v in enumerate(value)]
    if cls in (dict, Mapping):
        _expected(isinstance(value, dict), value, "a mapping", path)
        return {_text(k, path): typed(arguments[1], v, array, (*path, k)) for k, v in value.items()}
    return _plain(hint, value, path)


def _plain(hint: Any, value: Any, path: tuple[str, ...]) -> Any:
    if hint is str:
        return _text(value, path)
    if hint is float:
        return float(_number(value, path))
    if hint is int:
        whole = _number(value, path)
        return int(_expected(whole == int(whole), value, "a whole number", path))
    if hint is bool:
        return _expected(isinstance(value, bool), value, "true or false", path)
    if hint is type(None):
        return _expected(value is None, value, "nothing", path)
    if isinstance(value, float):
        return _number(value, path)
    return value


def _object(
    cls: type[Any], arguments: Sequence[Any], value: Any, array: ReadArray, path: tuple[str, ...]
) -> Any:
    """Builds a dataclass; what a later version stored beyond its fields is left out."""
    _expected(isinstance(value, dict), value, f"a {cls.__name__}", path)
    stored = value.get("is", cls.__name__)
    _expected(stored == cls.__name__, stored, f"a {cls.__name__}", path)
    hints = typing.get_type_hints(cls, include_extras=True)
    found: dict[str, Any] = {}
    for each in dataclasses.fields(cls):
        if each.name in value:
            hint = hints[each.name]
            if arguments and getattr(hint, "__parameters__", ()):  # such as PerSegment[Average]
                hint = hint[tuple(arguments)]
            found[each.name] = typed(hint, value[each.name], array, (*path, each.name))
        elif each.default is each.default_factory is dataclasses.MISSING:
            raise UnfitDataError(path, f"{each.name!r} is missing")
    made = cls(**found)
    try:
        getattr(made, "check_parts", lambda: None)()
    except ValueError as error:
        raise UnfitDataError(path, str(error)) from None
    return made


def _tuple(
    arguments: Sequence[Any], value: Any, array: ReadArray, path: tuple[str, ...]
) -> tuple[Any, ...]:
    _expected(isinstance(value, list), value, "a list", path)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        hints: Sequence[Any] = [arguments[0]] * len(value)
    else:
        hints = arguments
        _expected(len(value) == len(hints), value, f"{len(hints)} entries", path)
    pairs = zip(hints, value, strict=True)
    return tuple(typed(hint, v, array, (*path, str(i))) for i, (hint, v) in enumerate(pairs))


def _array(value: Any, array: ReadArray, path: tuple[str, ...]) -> np.ndarray[Any, Any]:
    try:
        found = array(value)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise UnfitDataError(path, f"not an array: {error}") from None
    if not np.isfinite(found).all():
        raise UnfitDataError(path, "an array with numbers that are not finite")
    return found


def _alternative(arguments: Sequence[Any], value: Any, path: tuple[str, ...]) -> Any:
    """Chooses the member of a union that was stored: by its class name, or by its kind."""
    if value is None and type(None) in arguments:
        return type(None)
    if isinstance(value, dict) and "is" in value:
        named = [a for a in arguments if getattr(a, "__name__", "") == value["is"]]
        _expected(bool(named), value["is"], "a known class", path)
        return named[0]
    kinds: dict[Any, Any] = {str: str, bool: bool, int: (int, float), float: (int, float)}
    others = [a for a in arguments if a is not type(None)]
    fitting = [a for a in others if isinstance(value, kinds.get(a, ()))]
    return (fitting or others)[0]


def _number(value: Any, path: tuple[str, ...], finite: bool = True) -> int | float:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    _expected(known, value, "a number", path)
    if isinstance(value, float) and not math.isfinite(value):
        _expected(not finite, value, "a finite number", path)
    elif isinstance(value, int):
        _expected(-_GREATEST <= value < _GREATEST, "…", "a number of 64 bits", path)
    found: int | float = value
    return found


def _text(value: Any, path: tuple[str, ...]) -> str:
    _expected(isinstance(value, str), value, "a text", path)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UnfitDataError(path, "a text with half a character") from None
    return str(value)


def _expected(holds: bool, value: Any, expected: str, path: tuple[str, ...]) -> Any:
    if not holds:
        raise UnfitDataError(path, f"expected {expected}, got {str(value)[:40]!r}")
    return value
