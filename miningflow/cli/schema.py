"""`miningflow schema`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.output import echo_lines, note


def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
) -> None:
    """Print the JSON Schema of case files, for editors.

    Example: miningflow schema --output miningflow.schema.json
    """
    with failing():
        import json

        from miningflow.catalog import installed
        from miningflow.describe.schema import case_schema

        text = json.dumps(case_schema(installed()), indent=1, ensure_ascii=False)
        if output is None:
            echo_lines(text)
        else:
            output.write_text(text + "\n", encoding="utf-8")
            note(f"wrote {output}")
