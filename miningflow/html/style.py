"""The look of results: colours for a light and a dark page, and rules that win over a notebook's.

Who says whether a page is dark differs: JupyterLab and Notebook 7 by `data-jp-theme-light`, VS Code
by a class of the body, Colab by `theme`; elsewhere the reader's system decides.
"""

from __future__ import annotations

from collections.abc import Mapping

# Family of operators → its colour on white, and on a dark ground.
FAMILIES: Mapping[str, tuple[str, str]] = {
    "source": ("#555f6b", "#9aa7b5"),
    "rows": ("#0072b2", "#56b4e9"),
    "joining": ("#7b4ea3", "#b794dd"),
    "aggregation": ("#009e73", "#3fc79f"),
    "segmentation": ("#8d5524", "#c98f5c"),
    "series": ("#00838f", "#4dc3ce"),
    "construction": ("#b8860b", "#e0b43c"),
    "selection": ("#d55e00", "#f08a3c"),
    "learning": ("#c2185b", "#f06a9b"),
    "patterns": ("#5e35b1", "#a58aec"),
    "evaluation": ("#607d8b", "#9db4bf"),
}
LINES: tuple[tuple[str, str], ...] = (
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#f08a3c"),
    ("#009e73", "#3fc79f"),
    ("#cc79a7", "#e39dc3"),
    ("#b8860b", "#e0b43c"),
    ("#5e35b1", "#a58aec"),
    ("#555555", "#b0b0b0"),
    ("#000000", "#ffffff"),
)
GROUNDS: Mapping[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#1b1f24"),
    "ink": ("#1d2733", "#e3e8ee"),
    "faint": ("#5b6672", "#a3afbb"),
    "rule": ("#d5dae0", "#3a424c"),
    "shade": ("#eef1f4", "#272d35"),
    "edge": ("#8a94a0", "#8a94a0"),
    "good": ("#1a7f45", "#4cc381"),
    "bad": ("#b3261e", "#ff8a80"),
    "doubtful": ("#8a5a00", "#f2b84b"),
}


def _variables(dark: bool) -> str:
    pairs = {
        **GROUNDS,
        **{f"family-{name}": pair for name, pair in FAMILIES.items()},
        **{f"line-{i}": pair for i, pair in enumerate(LINES)},
    }
    return "".join(f"--mf-{name}:{pair[dark]};" for name, pair in pairs.items())


def _themes() -> str:
    light, dark = (
        f"color-scheme:{'dark' if is_dark else 'light'};{_variables(is_dark)}"
        for is_dark in (False, True)
    )
    lit = ", ".join(
        f"{where} .mflow"
        for where in ('[data-jp-theme-light="true"]', "body.vscode-light", 'html[theme="light"]')
    )
    unlit = ", ".join(
        f"{where} .mflow"
        for where in ('[data-jp-theme-light="false"]', "body.vscode-dark", 'html[theme="dark"]')
    )
    return (
        f".mflow{{{light}}}\n"
        f"@media (prefers-color-scheme: dark){{.mflow{{{dark}}}}}\n"
        f"{lit}{{{light}}}\n{unlit}{{{dark}}}\n"
    )


# The class stands twice, so that these rules win over those of a notebook for tables and headings.
_RULES = """
&{background:var(--mf-paper);color:var(--mf-ink);border:1px solid var(--mf-rule);
 border-radius:6px;padding:10px 14px;margin:2px 0;max-width:100%;box-sizing:border-box;
 font:13px/1.45 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;text-align:left}
& h4{font-size:14px;font-weight:normal;margin:0 0 6px;padding:0;color:var(--mf-faint);
 white-space:pre-wrap;overflow-wrap:anywhere}
& h4 strong{color:var(--mf-ink);font-weight:600}
& h5,& summary{font-size:13px;font-weight:600;margin:12px 0 4px;padding:0;color:var(--mf-ink);
 font-style:normal}
& summary{cursor:pointer}
& p{margin:4px 0;color:var(--mf-ink)}
& ul{margin:4px 0;padding:0 0 0 18px;list-style:disc}
& li{margin:2px 0}
& .mf-faint{color:var(--mf-faint)}
& .mf-wide{overflow-x:auto;max-width:100%;margin:4px 0}
& table{border-collapse:collapse;border:0;margin:0;width:auto;table-layout:auto;font-size:12.5px;
 color:var(--mf-ink);background:transparent;display:table}
& tr,& tbody tr:nth-child(odd),& tbody tr:nth-child(even){background:transparent}
& tbody tr:hover{background:var(--mf-shade)}
& th,& td{padding:3px 14px 3px 0;text-align:left;vertical-align:top;border:0;max-width:44em;
 white-space:normal;overflow-wrap:break-word;color:var(--mf-ink);line-height:1.4;min-width:0}
& th{color:var(--mf-faint);font-weight:600;white-space:nowrap;
 border-bottom:1px solid var(--mf-rule)}
& .mf-number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
& td:last-child:not(.mf-number){min-width:9em}
& td.mf-more{color:var(--mf-faint)}
& pre{margin:4px 0;padding:8px 10px;background:var(--mf-shade);border:0;border-radius:4px;
 overflow:auto;max-height:24em;white-space:pre}
& pre code,& code{font:12px/1.4 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;
 color:var(--mf-ink);background:transparent;padding:0;border:0}
& .mf-badge{display:inline-block;padding:0 7px;border-radius:9px;font-size:11.5px;
 white-space:nowrap;border:1px solid var(--mf-rule);color:var(--mf-faint)}
& .mf-badge.mf-good{color:var(--mf-good);border-color:var(--mf-good)}
& .mf-badge.mf-bad{color:var(--mf-bad);border-color:var(--mf-bad)}
& .mf-badge.mf-doubtful{color:var(--mf-doubtful);border-color:var(--mf-doubtful)}
& progress{width:18em;max-width:60%;height:10px;vertical-align:middle;margin-right:8px}
& svg{max-width:100%;height:auto;display:block}
& .mf-graph svg{max-width:none}
& .mf-legend span{display:inline-block;margin-right:14px}
& .mf-legend svg{display:inline-block;vertical-align:middle}
& .mf-paper{fill:var(--mf-paper)}
& rect.mf-shade{fill:var(--mf-shade)}
& text,& .mf-ink{fill:var(--mf-ink)}
& text.mf-faint,& text.mf-faint tspan{fill:var(--mf-faint)}
& text.mf-faint tspan.mf-ink{fill:var(--mf-ink)}
& .mf-edge{stroke:var(--mf-edge)}
& .mf-tip{fill:var(--mf-edge)}
& .mf-rule{stroke:var(--mf-rule)}
"""


def _rules() -> str:
    families = "".join(
        f"& .mf-family-{name}{{stroke:var(--mf-family-{name})}}"
        f"& .mf-bar-{name}{{fill:var(--mf-family-{name})}}"
        for name in FAMILIES
    )
    lines = "".join(
        f"& .mf-line-{i}{{stroke:var(--mf-line-{i})}}& .mf-dot-{i}{{fill:var(--mf-line-{i})}}"
        for i in range(len(LINES))
    )
    return (_RULES + families + lines).replace("&", ".mflow.mflow").strip()


STYLE = _themes() + _rules()
