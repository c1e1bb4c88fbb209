"""Pieces of an HTML page: text that is escaped once and for all, data for scripts, sections, facts, verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from string import Formatter


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


def section(heading: str, *parts: Html, anchor: str) -> Html:
    """Return a section with its heading; links name it by `anchor`."""
    return Html("\n<section id='{}'><h2>{}</h2>\n{}</section>", anchor, heading, joined(parts))


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
