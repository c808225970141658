"""Which feature a name in an expression means."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from miningflow.sql.fragments.fragment_error import FragmentError


def find_feature(name: str, features: Mapping[str, str], offset: int) -> str | None:
    """Finds the feature of an unquoted name: the exact one, or the only one but for case."""
    if name in features:
        return name
    alike = [feature for feature in features if _folded(feature) == _folded(name)]
    if len(alike) > 1:
        raise FragmentError(
            f"'{name}' could be " + " or ".join(f"'{feature}'" for feature in alike),
            offset,
            "write the exact spelling",
        )
    return alike[0] if alike else None


def _folded(name: str) -> str:
    # Composed and decomposed letters look alike on screen, so they are alike here too.
    return unicodedata.normalize("NFC", name).casefold()
