"""A case as a SQLMesh project: a model for each source and step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from miningflow.compile.names import table
from miningflow.errors import CompileError, Diagnostic
from miningflow.export.descriptions import column_description, table_description
from miningflow.export.frozen import Files, FrozenCase
from miningflow.export.jinja import escaped
from miningflow.export.names import safe_names
from miningflow.export.places import Places
from miningflow.export.readme import project_readme
from miningflow.export.refusing import all_made, refusing
from miningflow.export.rules import breaking, rules_of
from miningflow.export.script import landing_files
from miningflow.export.sqlmesh_settings import config, external_models, usage
from miningflow.resolve.data_tests import BoundDataTest, NotNull, Related, Unique
from miningflow.sql.block import Values
from miningflow.sql.dialect import render
from miningflow.sql.literal_table import values_select
from miningflow.sql.literals import column, text

GITIGNORE = ".cache/\nlogs/\n*.db\n*.db.wal\n"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def sqlmesh_files(frozen: FrozenCase) -> Files:
    """Writes the files of a SQLMesh project."""
    _refuse_macros(frozen)
    writer = _Writer(frozen)
    files: Files = {"config.yaml": config(frozen), ".gitignore": GITIGNORE}
    external = external_models(frozen)
    if external:
        files["external_models.yaml"] = external
    for name, model in all_made([*frozen.sources, *frozen.built()], writer.model).items():
        folder = "sources" if name in frozen.sources else "steps"
        files[f"models/{folder}/{writer.models[name]}.sql"] = model
    for name in frozen.built():
        for values in frozen.tables(name):
            files[f"models/steps/{writer.models[values.name]}.sql"] = writer.values(name, values)
    for name, audit in writer.audits():
        files[f"audits/{name}.sql"] = audit
    if frozen.score is not None:
        files["score.sql"] = frozen.score.sql(frozen.dialect)
    if frozen.landed:
        files.update(landing_files(frozen))
    return {"README.md": project_readme(frozen, "SQLMesh", usage(frozen, files)), **files}


class _Writer:
    """Writes models and audits one by one."""

    def __init__(self, frozen: FrozenCase) -> None:
        self.frozen = frozen
        values = [v.name for name in frozen.built() for v in frozen.tables(name)]
        self.models = safe_names([*frozen.sources, *frozen.built(), *values])
        self.rules: dict[str, list[BoundDataTest]] = {}
        for rule in rules_of(frozen):
            self.rules.setdefault(rule.concept, []).append(rule)
        others = [r for rules in self.rules.values() for r in rules if not _builtin(r)]
        self.audit_names: Mapping[str, str] = safe_names(_title(rule) for rule in others)

    def model(self, name: str) -> str:
        """Writes the model of a source or step."""
        return self.source(name) if name in self.frozen.sources else self.step(name)

    def source(self, name: str) -> str:
        """Writes the model that reads a source as its concept."""
        kind = "VIEW" if self.frozen.sources[name].table is not None else "FULL"
        with refusing(self.frozen, name):
            return self._model(name, kind, self.frozen.source_query(name))

    def step(self, name: str) -> str:
        """Writes the model of a step; one that is embedded in others cannot have audits."""
        kinds = {"inline": "EMBEDDED", "view": "VIEW", "table": "FULL"}
        kind = kinds[self.frozen.layout[name]]
        if name in self.rules and kind == "EMBEDDED":
            kind = "VIEW"
        with refusing(self.frozen, name):
            return self._model(name, kind, self.frozen.step_query(name, self.naming))

    def values(self, step: str, values: Values) -> str:
        """Writes the model of a literal table; as a seed its numbers would be parsed again."""
        query = values_select(values, self.frozen.dialect)
        name = self._name(values.name)
        said = f"Learned by step {step}, frozen."
        head = _block("MODEL", [f"name {name}", "kind FULL", *_settings(said)])
        with refusing(self.frozen, step):
            return f"{head}\n\n{_query(render(query, self.frozen.dialect))}"

    def audits(self) -> Iterator[tuple[str, str]]:
        """Writes the audits that SQLMesh has no own ones for."""
        for rules in self.rules.values():
            for rule in rules:
                if not _builtin(rule):
                    yield self.audit_names[_title(rule)], self._audit(rule)

    def naming(self, name: str) -> exp.Table:
        """Refers to a model."""
        return table(self.models[name], self.frozen.request.schema)

    def _audit(self, rule: BoundDataTest) -> str:
        alone, places = self._is_alone(rule), Places()

        def naming(name: str) -> exp.Table:
            if name == rule.concept and not alone:
                return places.table("this_model")
            return self.naming(name)

        lines = [f"name {self.audit_names[_title(rule)]}"]
        if alone:
            lines.append("standalone TRUE")
        elif rule.severity == "warn":
            lines.append("blocking FALSE")
        with refusing(self.frozen, rule.concept):
            found = breaking(self.frozen, rule).select(naming, self.frozen.dialect)
            query = render(found, self.frozen.dialect, _title(rule))
        return f"{_block('AUDIT', lines)}\n\n{_query(query, places)}"

    def _model(self, name: str, kind: str, query: exp.Select) -> str:
        concept = self.frozen.concept(name)
        lines = [f"name {self._name(name)}", f"kind {kind}"]
        lines += _settings(table_description(self.frozen, name))
        if concept.key is not None and kind != "EMBEDDED":
            repeated = [s.feature for s in concept.segmentations if s.repeats]
            lines.append(f"grain ({_columns((concept.key, *repeated))})")
        described = [
            f"{_columns((f.name,))} = {_text(column_description(self.frozen, name, f))}"
            for f in concept.columns.values()
            if escaped(f.name) == f.name  # braces before the query would be read as Jinja
        ]
        lines.append(f"column_descriptions ({_nested(described)})")
        rules = [rule for rule in self.rules.get(name, ()) if not self._is_alone(rule)]
        pointed_to = [r.rule.to for r in rules if isinstance(r.rule, Related)]
        if pointed_to:
            lines.append(
                f"depends_on ({', '.join(self._name(to) for to in dict.fromkeys(pointed_to))})"
            )
        called = [self._called(rule) for rule in rules]
        if called:
            lines.append(f"audits ({_nested(called)})")
        sql = render(query, self.frozen.dialect, self.frozen.what(name))
        return f"{_block('MODEL', lines)}\n\n{_query(sql)}"

    def _is_alone(self, rule: BoundDataTest) -> bool:
        """Returns whether an audit reads a model that comes later: SQLMesh then only warns."""
        if not isinstance(rule.rule, Related):
            return False
        order = list(self.models)
        return order.index(rule.rule.to) >= order.index(rule.concept)

    def _called(self, rule: BoundDataTest) -> str:
        own = _builtin(rule)
        if own is None:
            return self.audit_names[_title(rule)]
        quiet = "_non_blocking" if rule.severity == "warn" else ""
        return f"{own}{quiet}(columns := ({_columns(rule.features)}))"

    def _name(self, name: str) -> str:
        return render(self.naming(name), self.frozen.dialect)


def _builtin(rule: BoundDataTest) -> str | None:
    """Names SQLMesh's own audit for a rule; it makes names of the columns, so these are words."""
    if not all(_WORD.fullmatch(feature) for feature in rule.features):
        return None
    match rule.rule:
        case NotNull():
            return "not_null"
        case Unique((_,)):
            return "unique_values"
    return None


def _title(rule: BoundDataTest) -> str:
    return f"{rule.concept}: {rule.said}"


def _settings(description: str) -> list[str]:
    # the SQL is as it shall be: SQLMesh would work on large models for minutes
    return [f"description {_text(description)}", "optimize_query FALSE", "formatting FALSE"]


def _block(kind: str, lines: list[str]) -> str:
    return f"{kind} (\n  " + ",\n  ".join(lines) + "\n);"


def _nested(lines: list[str]) -> str:
    return "\n    " + ",\n    ".join(lines) + "\n  "


def _query(sql: str, places: Places | None = None) -> str:
    """Writes a query; one with braces is written as Jinja, since SQLMesh reads it as such."""
    places = places or Places()
    if escaped(sql) == sql:
        return places.fill(sql, around="@{}") + "\n"
    filled = places.fill(sql, escaped, around="{{{{ {} }}}}")
    return f"JINJA_QUERY_BEGIN;\n{filled}\nJINJA_END;\n"


def _columns(names: tuple[str, ...]) -> str:
    return ", ".join(column(name).sql(dialect="duckdb") for name in names)


def _text(value: str) -> str:
    """Writes a description; braces in it would be read as Jinja, so they are moved apart."""
    return text(re.sub(r"\{(?=[{%#])", "{ ", value)).sql(dialect="duckdb")


def _refuse_macros(frozen: FrozenCase) -> None:
    """Refuses names with an @, behind which SQLMesh looks for a macro even in quotes."""
    for name in (*frozen.sources, *frozen.built()):
        wrong = next((f for f in frozen.concept(name).columns if "@" in f), None)
        if wrong is not None:
            message = f"feature {wrong!r} of {name!r} holds '@', which SQLMesh reads as a macro"
            raise CompileError(Diagnostic(message, None, "give it another name, or export to dbt"))
