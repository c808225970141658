"""OpenLineage events: for each source and step, what it read, what it made, column by column."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from miningflow.compile import Names
from miningflow.export.descriptions import column_description, data_type, table_description
from miningflow.export.frozen import FrozenCase
from miningflow.export.refusing import refusing
from miningflow.repository import StepRecord
from miningflow.sql.dialect import render
from miningflow.sql.lineage import How, Use, lineage, scanned

PRODUCER = "urn:miningflow"
SPEC = "https://openlineage.io/spec"
EVENT = f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
FACETS = {
    "schema": "1-2-0/SchemaDatasetFacet",
    "columnLineage": "1-2-0/ColumnLineageDatasetFacet",
    "documentation": "1-1-0/DocumentationDatasetFacet",
    "job documentation": "1-1-0/DocumentationJobFacet",
    "sql": "1-1-0/SQLJobFacet",
    "jobType": "2-0-4/JobTypeJobFacet",
    "parent": "1-2-0/ParentRunFacet",
    "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
}
Json = dict[str, Any]


@dataclass(frozen=True)
class PublishedRuns:
    """What the repository knows of the builds that are published."""

    namespace: str
    """What distinguishes the store from all others, without a password."""
    prefix: str
    """What the names of its tables start with."""
    records: Mapping[str, StepRecord]
    ended: Mapping[int, datetime]
    """Run → when it ended."""
    files: Mapping[str, tuple[str, ...]]
    """Source → the absolute paths of its files."""
    given: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Source → what its run was given in place of these: a frame, a file or a table."""


def lineage_text(frozen: FrozenCase, runs: PublishedRuns) -> str:
    """Writes the events, one in a line, as OpenLineage's own clients do."""
    events = lineage_events(frozen, runs)
    return "".join(json.dumps(e, ensure_ascii=False, sort_keys=True) + "\n" for e in events)


def lineage_events(frozen: FrozenCase, runs: PublishedRuns) -> list[Json]:
    """Returns an event for each source and step that was built: its last run, complete."""
    writer = _Writer(frozen, runs)
    return [writer.event(name) for name in (*frozen.sources, *frozen.built())]


class _Writer:
    """Writes events one by one."""

    def __init__(self, frozen: FrozenCase, runs: PublishedRuns) -> None:
        self.frozen = frozen
        self.runs = runs
        self.names = Names(frozen.name)

    def event(self, name: str) -> Json:
        """Returns the event of a source or step."""
        record = self.runs.records[name]
        return {
            "eventType": "COMPLETE",
            "eventTime": _time(self.runs.ended[record.run]),
            "producer": PRODUCER,
            "schemaURL": EVENT,
            "run": {
                "runId": _id(self.frozen.name, name, record.fingerprint, str(record.run)),
                "facets": {"parent": self._parent(record.run)},
            },
            "job": {**self._job(name), "facets": self._job_facets(name)},
            "inputs": [_dataset(*where) for where in self._inputs(name)],
            "outputs": [self._output(name, record)],
        }

    def _inputs(self, name: str) -> Iterator[tuple[str, str]]:
        """Names what is read: files or a table for a source, otherwise sources and steps."""
        source = self.frozen.sources.get(name)
        if source is None:
            scans = scanned(self.frozen.pieces[name].block)
            yield from (self._made(n) for n in self.frozen.pieces if n in scans)
        elif name in self.runs.given:
            yield self.runs.given[name]
        elif source.table is not None:
            yield self._place(source.table.db, source.table.name)
        else:
            yield from (("file", file) for file in self.runs.files[name])

    def _output(self, name: str, record: StepRecord) -> Json:
        concept = self.frozen.concept(name)
        fields = [
            {
                "name": feature.name,
                "type": (data_type(feature) or "key").upper(),
                "description": column_description(self.frozen, name, feature),
                "ordinal_position": position,
            }
            for position, feature in enumerate(concept.columns.values(), start=1)
        ]
        said = table_description(self.frozen, name)
        facets = {
            "schema": _facet("schema", fields=fields),
            "documentation": _facet("documentation", description=said),
            "columnLineage": self._column_lineage(name),
        }
        made = _dataset(*self._made(name), facets)
        if record.rows is not None:
            rows = _facet("outputStatistics", rowCount=record.rows)
            made["outputFacets"] = {"outputStatistics": rows}
        return made

    def _column_lineage(self, name: str) -> Json:
        if name in self.frozen.sources:
            return self._source_lineage(name)
        found = lineage(self.frozen.pieces[name].block)
        fields = {
            column: {"inputFields": self._input_fields(uses)}
            for column, uses in found.columns.items()
            if uses
        }
        return _facet("columnLineage", fields=fields, dataset=self._input_fields(found.rows))

    def _source_lineage(self, name: str) -> Json:
        """Returns the column of each feature; all files of a source have the same columns."""
        source = self.frozen.sources[name]
        fields = {}
        for feature in source.concept.features.values():
            if feature.name == source.numbered:
                continue
            is_key = feature.type == "key" and feature.name not in source.recast
            is_same = is_key and source.kind != "csv"
            how = _transformation("IDENTITY" if is_same else "TRANSFORMATION")
            column = source.columns.get(feature.name, feature.name)
            if self.runs.given.get(name, ("",))[0] == "frame":
                column = feature.name
            fields[feature.name] = {
                "inputFields": [
                    {"namespace": space, "name": place, "field": column, "transformations": [how]}
                    for space, place in self._inputs(name)
                ]
            }
        return _facet("columnLineage", fields=fields, dataset=[])

    def _input_fields(self, uses: Iterable[Use]) -> list[Json]:
        found: dict[tuple[str, str], list[Json]] = {}
        for use in sorted(uses):
            found.setdefault((use.source, use.column), []).append(_transformation(use.how))
        return [
            {**_dataset(*self._made(source)), "field": column, "transformations": transformations}
            for (source, column), transformations in found.items()
        ]

    def _job(self, name: str) -> Json:
        return {"namespace": "miningflow", "name": f"{self.frozen.name}.{name}"}

    def _job_facets(self, name: str) -> Json:
        frozen = self.frozen
        is_source = name in frozen.sources
        kind = {"processingType": "BATCH", "integration": "MININGFLOW"}
        facets = {
            "documentation": _facet("job documentation", description=frozen.what(name)),
            "jobType": _facet("jobType", **kind, jobType="SOURCE" if is_source else "STEP"),
        }
        if not is_source:
            with refusing(frozen, name):
                query = render(frozen.step_query(name, self.names.public), frozen.dialect)
            facets["sql"] = _facet("sql", query=query, dialect=frozen.dialect)
        return facets

    def _parent(self, run: int) -> Json:
        return _facet(
            "parent",
            run={"runId": _id(self.frozen.name, str(run))},
            job={"namespace": "miningflow", "name": self.frozen.name},
        )

    def _made(self, name: str) -> tuple[str, str]:
        return self._place(self.names.schema, name)

    def _place(self, schema: str, table: str) -> tuple[str, str]:
        """Names a table of the store, as OpenLineage names those of its kind."""
        return self.runs.namespace, f"{self.runs.prefix}{schema}.{table}"


def _dataset(namespace: str, name: str, facets: Json | None = None) -> Json:
    found: Json = {"namespace": namespace, "name": name}
    return found if facets is None else {**found, "facets": facets}


def _facet(kind: str, **content: Any) -> Json:
    path = FACETS[kind]
    url = f"{SPEC}/facets/{path}.json#/$defs/{path.rpartition('/')[2]}"
    return {"_producer": PRODUCER, "_schemaURL": url, **content}


def _transformation(how: How) -> Json:
    direct = Use("", "", how).is_direct
    return {"type": "DIRECT" if direct else "INDIRECT", "subtype": how, "masking": False}


def _time(moment: datetime) -> str:
    return moment.replace(tzinfo=moment.tzinfo or UTC).isoformat()


def _id(*parts: str) -> str:
    """Returns the same id for the same run, and another for any other."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join((PRODUCER, *parts))))
