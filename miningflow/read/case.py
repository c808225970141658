"""The case as it was written: plain data, nothing looked up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from miningflow.engines.csv_reading import CsvReading
from miningflow.errors import Diagnostic, Place
from miningflow.nodes import Fields, Node, Scalar

if TYPE_CHECKING:  # reading a case loads no Arrow
    import pyarrow as pa

Given = Literal["frame", "file", "table"]
"""What a verb was given instead of the source that the connection names."""


@dataclass(frozen=True)
class ConceptText:
    """A source concept: its key, its features with their types, what it holds out."""

    name: Scalar
    key: Scalar | None
    features: tuple[tuple[Scalar, Scalar], ...]
    holdout: Fields | None = None
    about: str = ""


@dataclass(frozen=True)
class RelationText:
    """A relation between two concepts, each end written `Concept.feature`.

    An n:m relation also has the two features of its cross table, written alike.
    """

    name: Scalar
    start: Scalar
    end: Scalar
    through: tuple[Scalar, Scalar] | None = None


@dataclass(frozen=True)
class StepText:
    """A step: its operator and its parameters as nodes."""

    name: Scalar
    operator: Scalar
    parameters: dict[str, tuple[Scalar, Node]]
    implied_input: Scalar | None = None
    for_each: Node | None = None
    materialize: Scalar | None = None
    learn_on: Scalar | None = None
    about: str = ""
    chain: tuple[str, ...] = ()


@dataclass(frozen=True)
class TestText:
    """A test: rows that are given to some concepts, and rows that a step shall make of them."""

    __test__ = False  # pytest would take it for a test

    name: Scalar
    step: Scalar
    given: dict[str, tuple[Scalar, tuple[Fields, ...]]]
    expect: tuple[Fields, ...]
    learned: Scalar | None = None
    tolerance: Scalar | None = None
    about: str = ""


@dataclass(frozen=True)
class DataTestText:
    """A test of the rows of a concept, such as `unique: customer_id`."""

    concept: Scalar
    kind: Scalar
    wanted: Node
    severity: Scalar | None = None
    about: str = ""


@dataclass(frozen=True, eq=False)
class GivenFrame:
    """A frame that was given as a source: a column for each feature, by its name."""

    table: pa.Table
    content: str
    """A hash that is the same for the same values."""


@dataclass(frozen=True)
class SourceText:
    """Where the rows of a concept are: in a file (or glob), a table or a frame."""

    concept: Scalar
    file: Scalar | None = None
    table: Scalar | None = None
    columns: dict[str, Scalar] = field(default_factory=dict)
    delimiter: Scalar | None = None
    number_rows: Scalar | None = None
    read_as: dict[str, Scalar] = field(default_factory=dict)
    """Feature of type key → what its values are to be read as."""
    reading: CsvReading = field(default_factory=CsvReading)
    given: Given | None = None
    """What the caller gave for this call alone; None: the connection says where the rows are."""
    frame: GivenFrame | None = None


@dataclass(frozen=True)
class ConnectionText:
    """Maps concepts to files or tables of a store."""

    place: Place
    folder: Path
    store: Scalar | None
    repository: Scalar | None
    sources: dict[str, SourceText]
    home: Path | None = None
    """The folder that it must not leave, since it came with a case and no user named it."""
    store_given: bool = False
    """Whether an option named the store, which may then be anywhere."""


@dataclass(frozen=True)
class Case:
    """A whole case file."""

    path: Path
    name: Scalar
    about: str
    concepts: dict[str, ConceptText]
    relations: dict[str, RelationText]
    steps: dict[str, StepText]
    chains: dict[str, str]
    """Chain → its last step."""
    chain_names: tuple[Scalar, ...]
    scoring: Scalar | None
    connect: ConnectionText | None
    tests: dict[str, TestText] = field(default_factory=dict)
    data_tests: tuple[DataTestText, ...] = ()
    unreadable: frozenset[str] = frozenset()
    """Names of concepts, relations, steps and chains whose text has mistakes."""
    mistakes: tuple[Diagnostic, ...] = ()
    """What is wrong with the form of the case."""
