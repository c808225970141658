"""Properties of a dbt project: what models and columns are, and the tests they must pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from miningflow.export.descriptions import column_description, data_type, table_description
from miningflow.export.frozen import Files, FrozenCase
from miningflow.export.jinja import escaped, is_plain, literal
from miningflow.export.names import safe_names
from miningflow.export.places import Places, by_name
from miningflow.export.refusing import refusing
from miningflow.export.rules import breaking, rules_of
from miningflow.export.sources import SourceData
from miningflow.export.yaml_text import yaml_text
from miningflow.resolve.data_tests import Accepted, BoundDataTest, NotNull, Related, Unique
from miningflow.sql.dialect import identifier, one_line, render
from miningflow.visible_text import visible

Properties = dict[str, Any]


def references(models: Mapping[str, str]) -> dict[str, str]:
    """Returns how each model is referred to."""
    return {name: f"{{{{ ref({literal(model)}) }}}}" for name, model in models.items()}


def source_reference(frozen: FrozenCase, models: Mapping[str, str], name: str) -> str:
    """Returns how the raw rows of a source are referred to."""
    return f"{{{{ source({literal(_group(frozen, name))}, {literal(models[name])}) }}}}"


def source_properties(frozen: FrozenCase, models: Mapping[str, str]) -> str:
    """Describes the sources: tables, or files that dbt-duckdb reads in place."""
    groups: dict[str, Properties] = {}
    for name, source in frozen.sources.items():
        group = groups.setdefault(_group(frozen, name), {"tables": []})
        about = frozen.about(name)
        entry: Properties = {"name": models[name], "description": escaped(about)}
        if _is_external(frozen, name):
            where = {"external_location": _external(frozen, source), "formatter": "oldstyle"}
            entry["config"] = {"meta": where}
        else:
            table = frozen.raw(name)
            group["schema"] = escaped(table.db)
            group["quoting"] = {"schema": True, "identifier": True}
            entry["identifier"] = escaped(table.name)
        group["tables"].append(entry)
    sources = [{"name": name, **group} for name, group in groups.items()]
    return yaml_text({"version": 2, "sources": sources})


def model_properties(frozen: FrozenCase, models: Mapping[str, str]) -> tuple[str, Files]:
    """Describes the models; also returns the tests that need a separate query, by name."""
    own: dict[str, dict[str, list[Any]]] = {}
    others: list[BoundDataTest] = []
    for test in rules_of(frozen):
        found = _generic(test, models)
        if found is None:
            others.append(test)
        else:
            own.setdefault(test.concept, {}).setdefault(test.features[0], []).append(found)
    described = [
        {
            "name": models[name],
            "description": escaped(table_description(frozen, name)),
            "columns": _columns(frozen, name, own.get(name, {})),
        }
        for name in (*frozen.sources, *frozen.built())
    ]
    literal_tables = [
        {"name": models[v.name], "description": escaped(f"Learned by step {name}, frozen.")}
        for name in frozen.built()
        for v in frozen.tables(name)
    ]
    named = {f"{test.concept} {test.said}": test for test in others}
    safe = safe_names(named)
    singular = {safe[said]: _singular(frozen, test, models) for said, test in named.items()}
    return yaml_text({"version": 2, "models": [*described, *literal_tables]}), singular


def _columns(frozen: FrozenCase, name: str, tests: Mapping[str, list[Any]]) -> list[Properties]:
    return [
        {
            "name": escaped(feature.name),
            "quote": True,
            "data_type": data_type(feature),
            "description": escaped(column_description(frozen, name, feature)),
            "data_tests": tests.get(feature.name),
        }
        for feature in frozen.concept(name).columns.values()
    ]


def _generic(test: BoundDataTest, models: Mapping[str, str]) -> Any:
    """Writes a rule as one of dbt's own tests; None where dbt would paste text into SQL."""
    if not all(is_plain(feature) for feature in test.features):
        return None
    arguments: Properties = {}
    match test.rule:
        case NotNull():
            kind = "not_null"
        case Unique((_,)):
            kind = "unique"
        case Accepted(_, values) if all(isinstance(v, str) and is_plain(v) for v in values):
            kind, arguments = "accepted_values", {"values": list(values)}
        case Related(_, to, key) if is_plain(key):
            kind, arguments = (
                "relationships",
                {"to": f"ref('{models[to]}')", "field": identifier(key, "duckdb")},
            )
        case _:
            return None
    config = {"severity": "warn"} if test.severity == "warn" else {}
    if not arguments and not config:
        return kind
    return {
        kind: {
            "description": escaped(visible(test.about)),
            "arguments": arguments,
            "config": config,
        }
    }


def _singular(frozen: FrozenCase, test: BoundDataTest, models: Mapping[str, str]) -> str:
    places = Places()
    with refusing(frozen, test.concept):
        query = breaking(frozen, test).select(by_name(references(models), places), frozen.dialect)
        sql = render(query, frozen.dialect)
    config = "{{ config(severity='warn') }}\n" if test.severity == "warn" else ""
    said = " ".join(part for part in (test.said, test.about) if part)
    comment = escaped(f"-- {one_line(test.concept)}: {one_line(said)}")
    return f"{config}{comment}\n{places.fill(sql, escaped)}\n"


def _is_external(frozen: FrozenCase, name: str) -> bool:
    source = frozen.sources[name]
    return source.table is None and not source.is_landed(frozen.dialect)


def _group(frozen: FrozenCase, name: str) -> str:
    """Returns the source that a table belongs to: dbt has one for each schema."""
    if _is_external(frozen, name):
        return "files"
    schemas = [frozen.raw(n).db for n in frozen.sources if not _is_external(frozen, n)]
    return safe_names(["files", *schemas])[frozen.raw(name).db]


def _external(frozen: FrozenCase, source: SourceData) -> str:
    """Writes what reads files; dbt puts the folder in, and the adapter halves every %."""
    places = Places()
    folder = places.place("{{ var('data_folder') }}")
    sql = render(source.relation(folder), frozen.dialect)
    if not any("\n" in name for files in source.files for name in files.columns):
        sql = re.sub(r"\n *", " ", sql)
    return places.fill(sql, lambda text: escaped(text.replace("%", "%%")))
