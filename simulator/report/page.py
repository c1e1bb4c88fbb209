"""The parts of an HTML page: text that is escaped once and for all, tables, sections, and the look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from string import Formatter
from typing import Any, Final

_STYLE: Final = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #222; background: #fff;
       max-width: 62rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
.lead { color: #555; margin-top: 0; }
.fault { color: #9b3d00; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .7rem .28rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #eee; }
th { color: #555; font-weight: 600; border-bottom-color: #bbb; white-space: nowrap; }
th.right, td.right { text-align: right; padding: .28rem 0 .28rem .9rem; white-space: nowrap; }
code { color: #666; font-size: .92em; overflow-wrap: anywhere; }
pre { background: #f6f6f6; padding: .8rem 1rem; overflow-x: auto; font-size: .82rem; }
figure { margin: 1.2rem 0 2rem; }
figure img { max-width: 100%; height: auto; border: 1px solid #eee; }
figcaption { color: #666; font-size: .85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; font-size: .9rem; }
dt { color: #666; } dd { margin: 0; overflow-wrap: anywhere; }
.pass, .fail { font-weight: 700; font-size: .8rem; padding: .08rem .45rem; border-radius: .2rem; white-space: nowrap; }
.pass { color: #fff; background: #0b6b3a; } .fail { color: #fff; background: #a83200; }
@media print { body { max-width: none; } figure { break-inside: avoid; } }
"""


class Html:
    """A piece of a page. What is put into the braces is escaped, unless it is itself a piece.

    >>> str(Html("<b>{}</b>{}", "a < b", Html("<br>")))
    '<b>a &lt; b</b><br>'
    """

    __slots__ = ("text",)

    def __init__(self, frame: str, *parts: Any) -> None:
        self.text = Formatter().vformat(frame, [_safe(part) for part in parts], {}) if parts else frame

    def __str__(self) -> str:
        return self.text


def _safe(part: Any) -> str:
    return part.text if isinstance(part, Html) else escape(str(part), quote=True)


def joined(parts: Sequence[Html]) -> Html:
    """Return pieces one after the other."""
    return Html("".join(part.text for part in parts))


def page(title: str, parts: Sequence[Html]) -> str:
    """Return a whole page."""
    head = Html(
        "<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<title>{}</title><style>{}</style>",
        title,
        Html(_STYLE),
    )
    body = Html("<h1>{}</h1>{}", title, joined(parts))
    return f"<!doctype html>\n<html lang='en'>\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>\n"


def section(heading: str, *parts: Html) -> Html:
    """Return a section with its heading."""
    return Html("\n<section><h2>{}</h2>\n{}</section>", heading, joined(parts))


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[int] = ()) -> Html:
    """Return a table; the columns in `right` are set flush right."""
    sides = [" class='right'" if place in right else "" for place in range(len(heads))]
    top = [Html("<th scope='col'{}>{}</th>", Html(side), head) for side, head in zip(sides, heads, strict=True)]
    lines = []
    for row in rows:
        cells = [Html("<td{}>{}</td>", Html(side), cell) for side, cell in zip(sides, row, strict=True)]
        lines.append(Html("<tr>{}</tr>\n", joined(cells)))
    return Html(
        "<div class='scroll'><table><thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>",
        joined(top),
        joined(lines),
    )


def facts(known: Mapping[str, str]) -> Html:
    """Return a list of names and values."""
    return Html("<dl>{}</dl>", joined([Html("<dt>{}</dt><dd>{}</dd>\n", key, value) for key, value in known.items()]))


def verdict(word: str) -> Html:
    """Return PASS or FAIL, to be seen from afar and read aloud."""
    return Html("<span class='{}'>{}</span>", "pass" if word == "PASS" else "fail", word)


def caption(says: str, stem: str) -> str:
    """Return the line below a figure: what it shows, and the name of its file.

    >>> caption("words by kind of message", "breakdown-sites")
    'Words by kind of message (breakdown-sites)'
    """
    return f"{says[:1].upper()}{says[1:]} ({stem})" if says else stem
