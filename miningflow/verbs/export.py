"""`export`: a case with everything learned, as a script or a project of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from miningflow.errors import CompileError, Diagnostic, suggestion
from miningflow.export import (
    FORMS,
    ExportRequest,
    Form,
    Origin,
    Written,
    check_folder,
    check_form,
    data_files,
    data_folder,
    data_home,
    exported_files,
    freeze_case,
    usual_dialect,
    write_folder,
)
from miningflow.names import file_name
from miningflow.pipeline import reading, store_dialect
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.store.kept_rows import refuse_unnamed
from miningflow.store.opening import needed
from miningflow.store.sources import locate_sources
from miningflow.verbs.lineage import lineage


def export(
    bound: BoundCase,
    connection: ConnectionText | None,
    to: str,
    output: Path | None = None,
    dialect: str | None = None,
    schema: str | None = None,
    with_data: bool = False,
    with_lineage: bool = False,
    force: bool = False,
) -> Written:
    """Writes a case, with everything learned frozen, as a script or a project of another tool.

    `to` is script, dbt or sqlmesh; by default, the folder is exported/CASE/FORM. With `with_data`,
    files of sources are copied into it. Edited files need `force`.
    """
    form = _form(to)
    output = output or Path("exported") / file_name(bound.name) / form
    connection = needed(bound.case, connection)
    origin = Origin(bound.name, form)
    dialect = dialect or usual_dialect(form, store_dialect(connection))
    check_form(form, dialect)
    check_folder(output, origin)
    refuse_unnamed(bound, connection, "an export")
    locations = locate_sources(bound, connection)
    home = data_home(locations, connection.folder)
    folder = None if with_data else data_folder(home, output)
    schema = schema or f"{bound.name}_exported"
    request = ExportRequest(form, dialect, schema, folder or "data")
    with reading(bound, connection) as store:
        frozen = freeze_case(bound, store, locations, home, request)
    files = exported_files(frozen)
    if with_lineage:
        files["lineage.jsonl"] = lineage(bound, connection)
    data = data_files(bound, locations, home) if with_data else {}
    copied = {f"data/{name}": path for name, path in data.items()}
    return write_folder(output, origin, files, copied, force)


def _form(name: str) -> Form:
    if name not in FORMS:
        hint = suggestion(name, FORMS, "forms")
        raise CompileError(Diagnostic(f"a case cannot be exported to {name!r}", None, hint))
    return cast("Form", name)
