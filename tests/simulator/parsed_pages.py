"""A page of HTML, parsed: its elements, its texts, and whatever it could run or fetch."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

VOID: Final = {"meta", "img", "br", "link", "input", "hr"}
"""Elements without an end."""


class Parsed(HTMLParser):
    """Collects elements with their attributes, texts by element, and what is wrong.

    Attributes
    ----------
    tags, text
        Each element with its attributes; each text with the element that it stands in.
    crossed
        Elements that do not end in order.
    wrong
        Attributes and elements that run or fetch something.
    policy
        The security policy that the page states.
    sources
        The texts of its scripts and style sheets.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.wrong: list[str] = []
        self.policy = ""
        self.sources: dict[str, list[str]] = {"script": [], "style": []}
        self._source = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append((tag, known))
        if tag not in VOID:
            self.open.append(tag)
        self.wrong += [name for name, value in attrs if name.startswith("on") or "javascript:" in (value or "")]
        self.wrong += [tag] * (tag in ("iframe", "object", "embed", "foreignobject", "base", "form", "link"))
        source = known.get("src") or "data:image/"
        self.wrong += [source] * (not source.startswith("data:image/"))
        if known.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(known["content"])
        self._source = tag if known.get("type") != "application/json" else ""
        if self._source in self.sources:
            self.sources[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)
        self._source = ""

    def handle_data(self, data: str) -> None:
        if self._source in self.sources:
            self.sources[self._source][-1] += data
        if self.open and data.strip():
            self.text.append((self.open[-1], data.strip()))
