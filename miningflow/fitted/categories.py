"""Fitted encoders of categories: indicators, and numbers in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from miningflow.fitted.refusals import check_fitted, refused
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.sql.models.values import Category, Coded, Raw, Value, literal, number_tree


def one_hot(encoder: Any, columns: ModelInputs) -> ModelInputs:
    """Returns the indicators of a OneHotEncoder.

    NULL has no indicators unless it was learned as a category, even where scikit-learn would take
    it for an unknown one: no class is made up for it.
    """
    check_fitted(encoder, len(columns.values))
    values: list[Value] = []
    for i, value in enumerate(columns.values):
        categories = _plain(encoder.categories_[i])
        infrequent = _infrequent(encoder, i)
        frequent = [c for c in categories if not _within(c, infrequent)]
        groups = [[c] for c in frequent] + ([infrequent] if infrequent else [])
        dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[i]
        if dropped is not None:
            gone = categories[int(dropped)]
            groups = [group for group in groups if not _within(gone, group)]
        for group in groups:
            unseen = None
            if encoder.handle_unknown != "error":
                to_infrequent = encoder.handle_unknown != "ignore" and group is infrequent
                unseen = float(to_infrequent)
            codes = [float(_within(c, group)) for c in categories]
            values.append(_coded(value, categories, codes, unseen))
    return columns.with_values(values)


def ordinal(encoder: Any, columns: ModelInputs) -> ModelInputs:
    """Returns the numbers of an OrdinalEncoder; NULL as for indicators."""
    check_fitted(encoder, len(columns.values))
    values: list[Value] = []
    for i, value in enumerate(columns.values):
        categories = _plain(encoder.categories_[i])
        infrequent = _infrequent(encoder, i)
        frequent = [c for c in categories if c is not None and not _within(c, infrequent)]
        codes = [
            float(encoder.encoded_missing_value)
            if c is None
            else float(len(frequent) if _within(c, infrequent) else frequent.index(c))
            for c in categories
        ]
        known = encoder.handle_unknown == "use_encoded_value"
        unseen = float(encoder.unknown_value) if known else None
        values.append(_coded(value, categories, codes, unseen))
    return columns.with_values(values)


def _coded(
    value: Value, categories: Sequence[Category | None], codes: list[float], unseen: float | None
) -> Coded:
    known = {c: code for c, code in zip(categories, codes, strict=True) if c is not None}
    missing = codes[categories.index(None)] if None in categories else None
    names: tuple[Category, ...] = tuple(known)
    if missing is not None and isinstance(value, Raw) and value.filled:
        raise refused(
            "an encoder learned None as a category after an imputer that fills NaN only, so NULL "
            "could mean either",
            "fit with SimpleImputer(missing_values=None), or with NaN in place of None",
        )
    if not isinstance(value, Raw):  # computed by a step before: a number
        names = tuple(float(name) if isinstance(name, bool) else name for name in names)
    elif any(isinstance(name, str | bool) for name in names):
        return Coded(value.tree, names, tuple(known.values()), missing, unseen)
    return Coded(number_tree(value), names, tuple(known.values()), missing, unseen)


def _infrequent(encoder: Any, i: int) -> list[Category | None]:
    found = getattr(encoder, "infrequent_categories_", None)
    return [] if found is None or found[i] is None else _plain(found[i])


def _plain(categories: Any) -> list[Category | None]:
    """Returns categories as Python values, with None for every kind of missing value."""
    found: list[Category | None] = []
    for category in categories:
        value = category.item() if hasattr(category, "item") else category
        if value is None or (isinstance(value, float) and math.isnan(value)):
            found.append(None)
            continue
        literal(value)  # refuses what cannot be written
        found.append(value if isinstance(value, str | bool) else float(value))
    kinds = {type(value) for value in found if value is not None}
    if len(kinds) > 1:
        raise refused(
            "an encoder has categories of several types, which a column cannot have",
            "make all categories of a column texts before fitting",
        )
    return found


def _within(category: Category | None, group: Sequence[Category | None]) -> bool:
    return any(category == other for other in group)
