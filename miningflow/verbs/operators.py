"""`operators`: which operators there are, and which of them do what is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from miningflow import arguments
from miningflow.catalog import installed, search, search_hint
from miningflow.declare.operator import Operator
from miningflow.describe.operators import describe_operator, operator_markdown
from miningflow.errors import Diagnostic, MiningFlowError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class OperatorEntry:
    """An operator as it is listed; as text it is its entry in the reference."""

    operator: type[Operator]

    @property
    def name(self) -> str:
        """Returns the full name, which all results show."""
        return self.operator.__name__

    @property
    def alias(self) -> str:
        """Returns the short name, if it has one."""
        return self.operator.alias

    @property
    def family(self) -> str:
        """Returns the kind of operator."""
        return self.operator.family

    @property
    def purpose(self) -> str:
        """Returns in a sentence what it does."""
        return self.operator.purpose()

    def as_json(self) -> dict[str, Any]:
        """Returns the operator as plain data for programs, with its parameters."""
        return describe_operator(self.operator)

    def __str__(self) -> str:
        return operator_markdown(self.operator)


@dataclass(frozen=True, eq=False)  # equal as sequences are
class OperatorList(Sequence[OperatorEntry]):
    """Operators, the best first if they were searched for."""

    entries: tuple[OperatorEntry, ...]

    @overload
    def __getitem__(self, at: int) -> OperatorEntry: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[OperatorEntry, ...]: ...
    def __getitem__(self, at: int | slice) -> OperatorEntry | tuple[OperatorEntry, ...]:
        return self.entries[at]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[OperatorEntry]:
        return iter(self.entries)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each operator: its name, short name and family, and what it does."""
        import pandas as pd

        columns = ["operator", "short_name", "family", "does"]
        rows = [(each.name, each.alias, each.family, each.purpose) for each in self]
        return pd.DataFrame(rows, columns=columns)


def operators(*words: str) -> OperatorList:
    """Returns the operator of a name or short name, or those that words for a purpose find.

    Without words, returns all installed operators by family.
    """
    catalog = installed()
    asked = arguments.texts(words, "words")
    named = catalog.find(asked[0]) if len(asked) == 1 else None
    if named is not None:
        return _listed([named])
    if not asked:
        return _listed(sorted(catalog.values(), key=lambda cls: (cls.family, cls.__name__)))
    found = search(asked, catalog)
    if not found:
        message = f"no operator is found by {' '.join(asked)!r}"
        raise MiningFlowError(Diagnostic(message, None, search_hint(asked, catalog)))
    return _listed(found)


def _listed(found: Sequence[type[Operator]]) -> OperatorList:
    return OperatorList(tuple(OperatorEntry(cls) for cls in found))
