"""Other words for parameters that are called as in scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Self, TypedDict

from miningflow.learn.scikit_learn import BaseEstimator


class KeepWord(TypedDict, total=False):
    """The other word for `n_features_to_select`."""

    keep: int | float | None


class ToleranceWord(TypedDict, total=False):
    """The other word for `tol`."""

    tolerance: float


class FoldsWord(TypedDict, total=False):
    """The other word for `cv`."""

    folds: int


class KeepAndTolerance(KeepWord, ToleranceWord):
    """The other words for `n_features_to_select` and `tol`."""


class ToleranceAndFolds(ToleranceWord, FoldsWord):
    """The other words for `tol` and `cv`."""


class SearchWords(KeepWord, ToleranceWord, FoldsWord):
    """The other words for `n_features_to_select`, `tol` and `cv`."""


class OtherWord:
    """Another word for a parameter of an estimator, to read and set it by."""

    def __init__(self, meant: str) -> None:
        self.meant = meant

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        return self if estimator is None else getattr(estimator, self.meant)

    def __set__(self, estimator: Any, value: Any) -> None:
        setattr(estimator, self.meant, value)


class WithOtherWords(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator some of whose parameters have another word.

    A parameter is one whatever it is called: `get_params` has it by scikit-learn's word, and the
    constructor and `set_params`, so also grids of parameters, take either.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _translating(cls.__init__)  # type: ignore[method-assign]  # words first

    def set_params(self, **params: Any) -> Self:
        """Sets parameters, by either of their words."""
        super().set_params(**_translated(type(self), params))
        return self


def _translating(init: Callable[..., None]) -> Callable[..., None]:
    """Returns a constructor that takes either word; only the parameters are in its signature.

    scikit-learn reads parameters from the signature, and type checkers from that of `init`.
    """
    own = signature(init)
    named = [p for p in own.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    shown = own.replace(parameters=named)

    @wraps(init)
    def translating(self: Any, *args: Any, **given: Any) -> None:
        words = _translated(type(self), given)
        try:
            shown.bind(self, *args, **words)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}() {error}") from None
        init(self, *args, **words)

    translating.__signature__ = shown  # type: ignore[attr-defined]  # inspect reads it
    return translating


def _translated(cls: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word, value in given.items():
        other = getattr(cls, word, None)
        meant = other.meant if isinstance(other, OtherWord) else word
        if meant != word and meant in given:
            raise TypeError(
                f"{cls.__name__} was given both {meant!r} and {word!r}, which are two words for "
                "one parameter; give one of them"
            )
        found[meant] = value
    return found
