"""A case runs from YAML to scores."""

from __future__ import annotations

from conftest import LoadCase


def test_a_case_runs(load_case: LoadCase) -> None:
    case = load_case(
        """
        filled: {operator: AssignAverageValue, input: Customer, target: income}
        """
    )
    case.run()
    assert case.table("filled").column("income").null_count == 0
