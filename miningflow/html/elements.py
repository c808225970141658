"""Elements of HTML and SVG: every text and every attribute is escaped where it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from miningflow.visible_text import visible

# No element that runs, loads or links, and no attribute that could: what is not here is a bug.
_SHAPES = frozenset({"circle", "line", "path", "polyline", "rect"})
TAGS = _SHAPES | frozenset(
    {
        *("code", "details", "div", "h4", "h5", "p", "pre", "progress", "section", "span"),
        *("strong", "summary", "table", "tbody", "td", "th", "thead", "tr"),
        *("defs", "marker", "svg", "text", "tspan"),
    }
)
ATTRIBUTES = frozenset(
    {
        *("aria-label", "class", "colspan", "id", "role", "scope", "max", "value"),
        *("width", "height", "viewBox", "xmlns", "xml:space"),
        *("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "d", "points"),
        *("fill", "stroke", "stroke-width", "stroke-dasharray"),
        *("font-family", "font-size", "font-weight", "text-anchor"),
        *("marker-end", "markerWidth", "markerHeight", "refX", "refY", "orient"),
    }
)


@dataclass(frozen=True)
class Element:
    """An element with its attributes and what is in it: elements and text."""

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Content, ...] = ()

    def __post_init__(self) -> None:
        unknown = {self.tag} - TAGS | self.attributes.keys() - ATTRIBUTES
        if unknown:
            raise ValueError(f"not for a notebook: {', '.join(sorted(unknown))}")

    def __str__(self) -> str:
        given = "".join(f' {name}="{_attribute(v)}"' for name, v in self.attributes.items())
        if self.tag in _SHAPES:
            return f"<{self.tag}{given}/>"
        return f"<{self.tag}{given}>{''.join(map(_content, self.children))}</{self.tag}>"


Content = Element | str


def element(
    tag: str, attributes: Mapping[str, str | float] | str | None = None, *children: Content
) -> Element:
    """Makes an element; attributes that are only a text are its class."""
    if isinstance(attributes, str):
        attributes = {"class": attributes} if attributes else {}
    named = {name: _plain(value) for name, value in (attributes or {}).items()}
    return Element(tag, named, children)


def _plain(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0")


def _content(child: Content) -> str:
    return str(child) if isinstance(child, Element) else escape(visible(child), quote=False)


def _attribute(value: str) -> str:
    return escape(visible(value), quote=False).replace('"', "&quot;")
