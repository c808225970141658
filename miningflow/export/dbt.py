"""A case as a dbt project: a model for each source and step."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.export.dbt_properties import (
    model_properties,
    references,
    source_properties,
    source_reference,
)
from miningflow.export.dbt_settings import profiles, project, usage
from miningflow.export.frozen import Files, FrozenCase
from miningflow.export.jinja import escaped, is_plain, literal
from miningflow.export.names import safe_names
from miningflow.export.places import Places, by_name
from miningflow.export.readme import project_readme
from miningflow.export.refusing import all_made, refusing
from miningflow.export.script import landing_files
from miningflow.sql.block import Values
from miningflow.sql.dialect import one_line, render
from miningflow.sql.literal_table import values_select

GITIGNORE = "target/\ndbt_packages/\nlogs/\n*.duckdb\n*.duckdb.wal\n.user.yml\n"


def dbt_files(frozen: FrozenCase) -> Files:
    """Writes the files of a dbt project."""
    writer = _Writer(frozen)
    files: Files = {
        "dbt_project.yml": project(frozen),
        "profiles.yml": profiles(frozen),
        ".gitignore": GITIGNORE,
        "models/sources.yml": source_properties(frozen, writer.models),
    }
    for name, model in all_made([*frozen.sources, *frozen.built()], writer.model).items():
        folder = "sources" if name in frozen.sources else "steps"
        files[f"models/{folder}/{writer.models[name]}.sql"] = model
    for name in frozen.built():
        for values in frozen.tables(name):
            files[f"models/steps/{writer.models[values.name]}.sql"] = writer.values(name, values)
    properties, singular = model_properties(frozen, writer.models)
    files["models/models.yml"] = properties
    for name, test in singular.items():
        files[f"tests/{name}.sql"] = test
    if frozen.score is not None:
        files["score.sql"] = frozen.score.sql(frozen.dialect)
    if frozen.landed:
        files.update(landing_files(frozen))
    return {"README.md": project_readme(frozen, "dbt", usage(frozen, files)), **files}


def model_names(frozen: FrozenCase) -> dict[str, str]:
    """Returns the names of the models: those of sources, of steps, and of literal tables."""
    values = [v.name for name in frozen.built() for v in frozen.tables(name)]
    return safe_names([*frozen.sources, *frozen.built(), *values])


class _Writer:
    """Writes models one by one."""

    def __init__(self, frozen: FrozenCase) -> None:
        self.frozen = frozen
        self.models: Mapping[str, str] = model_names(frozen)

    def model(self, name: str) -> str:
        """Writes the model of a source or step."""
        return self.source(name) if name in self.frozen.sources else self.step(name)

    def source(self, name: str) -> str:
        """Writes the model that reads a source as its concept."""
        places = Places()
        called = source_reference(self.frozen, self.models, name)
        kind = "view" if self.frozen.sources[name].table is not None else "table"
        with refusing(self.frozen, name):
            query = self.frozen.source_query(name, places.table(called))
            return self._model(name, kind, render(query, self.frozen.dialect), places)

    def step(self, name: str) -> str:
        """Writes the model of a step."""
        places = Places()
        kind = self.frozen.layout[name]
        with refusing(self.frozen, name):
            query = self.frozen.step_query(name, by_name(references(self.models), places))
            sql = render(query, self.frozen.dialect)
        return self._model(name, "ephemeral" if kind == "inline" else kind, sql, places)

    def values(self, step: str, values: Values) -> str:
        """Writes the model of a literal table; as a seed its numbers would be parsed again."""
        query = values_select(values, self.frozen.dialect)
        with refusing(self.frozen, step):
            sql = render(query, self.frozen.dialect)
        return self._model(values.name, "table", sql, Places())

    def _model(self, name: str, kind: str, sql: str, places: Places) -> str:
        model = self.models[name]
        alias = f", alias={literal(name)}" if model != name and is_plain(name) else ""
        known = name in self.frozen.pieces
        said = self.frozen.what(name) if known else f"literal table '{name}'"
        config = f"{{{{ config(materialized={literal(kind)}{alias}) }}}}"
        comment = escaped(f"-- {one_line(said)}")
        return f"{config}\n{comment}\n{places.fill(sql, escaped)}\n"
