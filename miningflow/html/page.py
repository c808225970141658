"""A result as HTML: a heading, its parts, and the look; of unbounded text only the beginning."""

from __future__ import annotations

import re

from miningflow.html.elements import Content, Element, element
from miningflow.html.style import STYLE
from miningflow.html.tables import frame_table, shortened

LONGEST_CODE = 8_000


def page(title: str, said: str, *parts: Content | None) -> str:
    """Returns a result under its heading, as what `_repr_html_` returns."""
    heading = element("h4", None, element("strong", None, shortened(title)), "  ", said)
    shown = [part for part in parts if part is not None]
    # the only text that is not escaped, which holds no `<`
    return f"<style>{STYLE}</style>{element('div', 'mflow', heading, *shown)}"


def section(title: str, *parts: Content, folded: bool = False) -> Element:
    """Returns parts of a result under a smaller heading; folded ones open on a click."""
    if folded:
        return element("details", None, element("summary", None, title), *parts)
    return element("section", None, element("h5", None, title), *parts)


def code(text: str) -> Element:
    """Returns SQL or YAML as it is written."""
    return element("pre", None, element("code", None, shortened(text, LONGEST_CODE)))


def badge(text: str, kind: str = "") -> Element:
    """Returns a word that stands out: `good`, `bad`, `doubtful`, or none of these."""
    return element("span", f"mf-badge mf-{kind}" if kind else "mf-badge", text)


class FrameHtml:
    """A result that a notebook shows as the table that `to_frame` returns."""

    def _repr_html_(self) -> str:
        frame = self.to_frame()  # type: ignore[attr-defined]
        rows = "1 row" if len(frame) == 1 else f"{len(frame):,} rows"
        return page(self._page_title(), rows, frame_table(frame))

    def _page_title(self) -> str:
        """Returns the name of the class as words."""
        words = re.sub(r"(?<!^)[A-Z]", lambda found: f" {found[0].lower()}", type(self).__name__)
        return str(words)
