"""Artifacts from a store: of the right type, they may still not fit the step that they are for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from miningflow.declare.segmentation import artifacts_of
from miningflow.errors import MiningFlowError, RepositoryError
from miningflow.learn.encoding import Encoding
from miningflow.sql.dialect import NotInDialect


@contextmanager
def using_stored_artifact(step: str, artifact: Any, columns: Collection[str]) -> Iterator[None]:
    """Says which step has an artifact that does not fit it: a model reads the columns there are.

    A mistake of ours looks the same here. Who follows the advice gets to know: what was just
    learned is not used through this.
    """
    if artifact is None:
        yield
        return
    try:
        for _, learned in artifacts_of(artifact):
            encoding = getattr(learned, "encoding", None)
            if isinstance(encoding, Encoding):
                _check_predictors(encoding, columns)
        yield
    except (MiningFlowError, NotInDialect):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error)[:100]}"
        raise RepositoryError(f"the artifact of step {step!r}", reason) from error


def _check_predictors(encoding: Encoding, columns: Collection[str]) -> None:
    for predictor in encoding.predictors:
        if predictor.name not in columns:
            raise ValueError(f"there is no feature {predictor.name[:40]!r}")
