"""Exports: a case with everything learned, as files that other tools run without MiningFlow."""

from miningflow.export.folder import Origin, Written, check_folder, write_folder
from miningflow.export.forms import check_form, exported_files
from miningflow.export.freezing import data_files, data_folder, freeze_case, published_runs
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
    "exported_files",
    "freeze_case",
    "lineage_text",
    "published_runs",
    "write_folder",
]
