"""HTML pages, self-contained: pieces of text that is escaped once and for all, tables that sort, and the whole page.

    page("Title", [section("One", Html("<p>{}</p>", text), anchor="one")], scripts=[resource("tables.js")])

A page of another room adds its own styles and scripts as texts. Colours are the variables of house.css (`--ink`,
`--quiet`, `--ground`, `--raised`, `--line`, `--accent`, `--pass`, `--fail`, `--open`), which change with the theme; a
script that draws listens to the event `theme` of the document and reads them with `house.colour("--ink")`.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Formatter
from typing import Final

WIDE: Final = 12
"""Columns from which on a table is printed across."""
MANY: Final = 12
"""Rows from which on a table has a filter."""


class Html:
    """A piece of a page. What is put into the braces is escaped, unless it is itself a piece.

    >>> str(Html("<b>{}</b>{}", "a < b", Html("<br>")))
    '<b>a &lt; b</b><br>'
    """

    __slots__ = ("text",)

    def __init__(self, frame: str, *parts: object) -> None:
        self.text = Formatter().vformat(frame, [_safe(part) for part in parts], {}) if parts else frame

    def __str__(self) -> str:
        return self.text


def _safe(part: object) -> str:
    return part.text if isinstance(part, Html) else escape(str(part), quote=True)


def joined(parts: Sequence[Html]) -> Html:
    """Return pieces one after the other."""
    return Html("".join(part.text for part in parts))


def section(heading: str, *parts: Html, anchor: str = "") -> Html:
    """Return a section with its heading; links name it by `anchor`, else by its heading in small letters."""
    frame = "\n<section id='{}'><h2>{}</h2>\n{}</section>"
    return Html(frame, anchor or heading.lower(), heading, joined(parts))


def facts(known: Mapping[str, object]) -> Html:
    """Return a list of names and values; values may be pieces."""
    return Html("<dl>{}</dl>", joined([Html("<dt>{}</dt><dd>{}</dd>\n", key, value) for key, value in known.items()]))


def verdict(word: str) -> Html:
    """Return a verdict, to be seen from afar and read aloud: PASS, FAIL, VACUOUS, UNDECIDED, SKIPPED, ok, failed.

    >>> str(verdict("FAIL"))
    "<span class='verdict fail'>FAIL</span>"
    """
    looks = {"pass": "pass", "ok": "pass", "undecided": "open", "skipped": "open"}
    return Html("<span class='verdict {}'>{}</span>", looks.get(word.lower(), "fail"), word)


def data(name: str, value: object) -> Html:
    """Return plain values for a script of the page, which finds them by the name.

    No text in them can end the element or begin a comment in it: characters of markup are escaped.

    >>> str(data("x", {"a": "</script>"}))
    '<script type="application/json" id="x">{"a":"\\\\u003c/script\\\\u003e"}</script>'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Html('<script type="application/json" id="{}">{}</script>', name, Html(text))


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    right: Collection[int] = (),
    *,
    says: str,
    failing: Collection[int] = (),
    lost: Collection[int] = (),
) -> Html:
    """Return a table that can be sorted by each column and, where it is long, filtered.

    A cell that is a pair shows its first part and is sorted by its second, a number.

    Parameters
    ----------
    heads
        Headings, one a column.
    rows
        Cells: text, or pieces of markup, or pairs of one of these and a number.
    right
        Columns that are set flush right.
    says
        The caption.
    failing
        Rows that are marked as failing.
    lost
        Rows that are marked as lost to an error.
    """
    sides = [" class='right'" if place in right else "" for place in range(len(heads))]
    top = [
        Html("<th scope='col'{}><span>{}</span></th>", Html(side), head)
        for side, head in zip(sides, heads, strict=True)
    ]
    lines = []
    for place, row in enumerate(rows):
        marks = "failing" if place in failing else "lost" if place in lost else ""
        cells = [_cell(side, cell) for side, cell in zip(sides, row, strict=True)]
        lines.append(Html("<tr{}>{}</tr>\n", Html(" class='{}'", marks) if marks else Html(""), joined(cells)))
    return Html(
        resource("table.html"),
        " wide" if len(heads) >= WIDE else "",
        Html(" data-filter") if len(rows) >= MANY else Html(""),
        says,
        says,
        joined(top),
        joined(lines),
    )


def _cell(side: str, cell: object) -> Html:
    """Return a cell, with the number that it is sorted by if it has one."""
    if isinstance(cell, tuple):
        shown, key = cell
        return Html("<td{} data-key='{}'>{}</td>", Html(side), "" if key is None or key != key else repr(key), shown)
    return Html("<td{}>{}</td>", Html(side), cell)


def page(
    title: str,
    body: Sequence[Html],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    kicker: str = "",
    contents: Sequence[tuple[str, str]] = (),
) -> str:
    """Return a whole page: the frame in page.html.

    The browser loads nothing from elsewhere, and runs no script and no style sheet but those with these digests.

    Parameters
    ----------
    title
        The page's title and its first heading.
    body
        Its parts, in order.
    styles, scripts
        Texts of CSS and JavaScript beside those of the house; scripts run in this order when all of the page is there.
    kicker
        A few words above the title: the kind of page.
    contents
        Anchors with their headings, for the list of contents; empty for none.
    """
    sheets = [f"\n{text}" for text in (resource("house.css"), *styles)]
    codes = [f"\n{text}" for text in (resource("theme.js"), *scripts)]
    style = joined([Html("<style>{}</style>\n", Html(text)) for text in sheets])
    code = joined([Html("<script>{}</script>\n", Html(text)) for text in codes])
    links = joined([Html("<li><a href='#{}'>{}</a></li>", anchor, heading) for anchor, heading in contents])
    listed = Html("<nav aria-label='Contents'><ul>{}</ul></nav>\n", links) if contents else Html("")
    policy = _digests(codes), _digests(sheets)
    return str(Html(resource("page.html"), *policy, title, style, kicker, title, listed, joined(body), code))


def _digests(texts: Sequence[str]) -> Html:
    """Return the sources of a policy that allow these texts, and no others."""
    return Html(" ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts))


@cache
def resource(name: str) -> str:
    """Return a file of this room: a style sheet, a script, or a frame of markup."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
