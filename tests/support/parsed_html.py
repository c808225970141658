"""HTML as a browser takes it apart: its elements, their attributes, and the text between."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class ParsedHtml:
    """What a parser found in HTML."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    text: str = ""
    style: str = ""
    unclosed: list[str] = field(default_factory=list)


def parsed(html: str) -> ParsedHtml:
    """Parses HTML; every element must be closed by its own end."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    found = parser.found
    found.unclosed = parser.open
    return found


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found = ParsedHtml()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.tags.append(tag)
        self.found.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.found.style += data
        else:
            self.found.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")
