"""Operators that search for a given number of features with the least error of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from miningflow.declare import Concept, Notes, integer, operator

from .selection_search import StepwiseSearch


@operator
class SearchGivenNoOfAttributes(StepwiseSearch):
    """Shared by searches for a given number of attributes."""

    steps: ClassVar[Mapping[str, str]]

    keep: int = integer("how many attributes to keep", minimum=1)

    def least(self) -> int:
        """Returns `keep`."""
        return self.keep

    def outline(self, notes: Notes) -> Concept:
        """Checks that there are at least `keep` attributes, also after screening."""
        if self.keep > len(self.attributes):
            notes.error(
                "keep",
                f"'keep' must be at most {len(self.attributes)}, the number of attributes, "
                f"got {self.keep}",
            )
        if self.screen is not None and self.screen < self.keep:
            notes.error(
                "screen", f"'screen' must be at least {self.keep}, like 'keep', got {self.screen}"
            )
        return super().outline(notes)

    def search(self) -> Mapping[str, Any]:
        """Returns how to search, for fewer attributes if earlier steps left fewer."""
        return {**self.steps, "keep": min(self.keep, len(self.attributes))}


@operator
class SimpleForwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Adds the attribute that reduces the error of a machine most, until `keep` are selected.

    A subset is judged by the estimated error of a machine that learns from at most `sample_size`
    rows. Attributes are standardised; nominal ones become indicators that are kept or dropped
    together.
    """

    steps: ClassVar[Mapping[str, str]] = {"direction": "forward", "search": "greedy"}
    alias: ClassVar[str] = "SelectForward"
    finds: ClassVar[tuple[str, ...]] = ("sequential", "stepwise", "wrapper")
    example: ClassVar[str] = """
    relevant:
      operator: SimpleForwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """


@operator
class SimpleBackwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Removes the attribute that a machine needs least, until `keep` are left.

    A subset is judged by the estimated error of a machine that learns from at most `sample_size`
    rows. Attributes are standardised; nominal ones become indicators that are kept or dropped
    together.
    """

    steps: ClassVar[Mapping[str, str]] = {"direction": "backward", "search": "greedy"}
    alias: ClassVar[str] = "SelectBackward"
    finds: ClassVar[tuple[str, ...]] = ("sequential", "stepwise", "RFE", "wrapper")
    example: ClassVar[str] = """
    relevant:
      operator: SimpleBackwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """


@operator
class FloatingForwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Adds attributes until `keep` are selected, and removes those that later ones make useless.

    A subset is judged by the estimated error of a machine that learns from at most `sample_size`
    rows. Attributes are standardised; nominal ones become indicators that are kept or dropped
    together.
    """

    steps: ClassVar[Mapping[str, str]] = {"direction": "forward", "search": "floating"}
    alias: ClassVar[str] = "SelectFloatingForward"
    finds: ClassVar[tuple[str, ...]] = ("sequential", "SFFS", "wrapper")
    example: ClassVar[str] = """
    relevant:
      operator: FloatingForwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """


@operator
class FloatingBackwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Removes attributes until `keep` are left, and adds those again that turn out to be needed.

    A subset is judged by the estimated error of a machine that learns from at most `sample_size`
    rows. Attributes are standardised; nominal ones become indicators that are kept or dropped
    together.
    """

    steps: ClassVar[Mapping[str, str]] = {"direction": "backward", "search": "floating"}
    alias: ClassVar[str] = "SelectFloatingBackward"
    finds: ClassVar[tuple[str, ...]] = ("sequential", "SFBS", "wrapper")
    example: ClassVar[str] = """
    relevant:
      operator: FloatingBackwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """
