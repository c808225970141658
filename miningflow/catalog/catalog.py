"""The catalog: operators by name, which also knows their short names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from miningflow.declare.operator import Operator
from miningflow.errors import Diagnostic, MiningFlowError


class Catalog(Mapping[str, type[Operator]]):
    """Operators by name, in alphabetical order. A case may write their short names instead."""

    def __init__(self, operators: Iterable[type[Operator]]) -> None:
        self._by_word: dict[str, type[Operator]] = {}
        found = sorted(operators, key=lambda cls: cls.__name__)
        for cls in found:
            self._add(cls.__name__, cls)
        for cls in found:
            if cls.alias:
                self._add(cls.alias, cls)
        self._operators = {cls.__name__: cls for cls in found}

    def __getitem__(self, name: str) -> type[Operator]:
        return self._operators[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)

    def find(self, word: str) -> type[Operator] | None:
        """Returns the operator of a name or a short name."""
        return self._by_word.get(word)

    @property
    def words(self) -> tuple[str, ...]:
        """Returns all names, then all short names."""
        return tuple(self._by_word)

    def _add(self, word: str, cls: type[Operator]) -> None:
        other = self._by_word.get(word)
        if other is not None:
            both = " and ".join(f"{c.__name__} of {c.__module__}" for c in (other, cls))
            hint = "uninstall one of the two libraries, or give its operator a different name"
            message = f"two installed operators are called {word!r}: {both}"
            raise MiningFlowError(Diagnostic(message, None, hint))
        self._by_word[word] = cls
