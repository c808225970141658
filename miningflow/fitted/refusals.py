"""What cannot become SQL is refused by name, with what can."""

from __future__ import annotations

from typing import Any

from miningflow.errors import CompileError, Diagnostic, listed
from miningflow.fitted.supported import ESTIMATORS, TRANSFORMERS


def refused(message: str, hint: str = "") -> CompileError:
    """Makes the error of something that a user can mend."""
    return CompileError(Diagnostic(message, None, hint))


def no_machine(found: Any) -> CompileError:
    """Refuses what should have been a machine."""
    hint = f"supported estimators: {listed(ESTIMATORS)}"
    return refused(f"{name_of(found)} cannot be written as SQL", hint)


def no_transformer(found: Any) -> CompileError:
    """Refuses a step before the machine."""
    hint = f"supported before a machine: {listed(TRANSFORMERS)}"
    return refused(f"{name_of(found)} cannot be written as SQL", hint)


def name_of(found: Any) -> str:
    """Names what was found: an estimator by its class, anything else by its kind."""
    return type(found).__name__ if not isinstance(found, type) else f"the class {found.__name__}"


def is_scikit_learns(found: Any) -> bool:
    """Returns whether the very class is scikit-learn's: a subclass may compute something else."""
    return type(found).__module__.partition(".")[0] == "sklearn"


def check_fitted(estimator: Any, width: int) -> None:
    """Refuses an estimator that is not fitted, or was fitted on another number of columns."""
    fitted_on = getattr(estimator, "n_features_in_", None)
    if fitted_on is None:
        raise refused(f"{name_of(estimator)} is not fitted", "call its fit() first")
    if fitted_on != width:
        raise refused(
            f"{name_of(estimator)} was fitted on {fitted_on} columns, and gets {width}",
            "give `features` one name for each column it was fitted on, in that order",
        )
