"""Exports: a case with everything learned, as files that other tools run without MiningFlow."""

from miningflow.export.folder import Origin, Written, check_folder, write_folder
from miningflow.export.forms import check_form, exported_files, usual_dialect
from miningflow.export.freezing import (
    data_files,
    data_folder,
    data_home,
    freeze_case,
    published_runs,
)
from miningflow.export.frozen import FORMS, ExportRequest, Form, FrozenCase
from miningflow.export.lineage import lineage_text

__all__ = [
    "FORMS",
    "ExportRequest",
    "Form",
    "FrozenCase",
    "Origin",
    "Written",
    "check_folder",
    "check_form",
    "data_files",
    "data_folder",
    "data_home",
    "exported_files",
    "freeze_case",
    "lineage_text",
    "published_runs",
    "usual_dialect",
    "write_folder",
]
