"""A whole page, self-contained: head, theme switch, skip link, contents, main part; nothing is fetched from anywhere.

    page("Title", [section("One", Html("<p>{}</p>", text), anchor="one")], scripts=[resource("tables.js")])

A page of another room adds its own styles and scripts as texts. Colours are the variables of house.css (`--ink`,
`--quiet`, `--ground`, `--raised`, `--line`, `--accent`, `--pass`, `--fail`, `--open`), which change with the theme; a
script that draws listens to the event `theme` of the document and reads them with `house.colour("--ink")`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from disttrack.simulator.shown.pages.html import Html, joined

POLICY: Final = (
    "default-src 'none'; script-src {}; style-src {}; style-src-attr 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)
"""The browser loads nothing from elsewhere, and runs no script and no style sheet but those with these digests."""


def page(
    title: str,
    body: Sequence[Html],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    kicker: str = "",
    contents: Sequence[tuple[str, str]] = (),
) -> str:
    """Return a whole page.

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
    head = Html(
        "<meta charset='utf-8'><meta http-equiv='Content-Security-Policy' content=\"{}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='color-scheme' content='light dark'><title>{}</title>{}",
        Html(POLICY.format(_digests(codes), _digests(sheets))),
        title,
        joined([Html("<style>{}</style>\n", Html(text)) for text in sheets]),
    )
    top = Html(
        "<a class='skip' href='#main'>Skip to the content</a>\n"
        "<header class='top'><p class='kicker'>{}</p>"
        "<button type='button' id='theme' aria-pressed='false' hidden>Dark</button></header>\n",
        kicker,
    )
    links = joined([Html("<li><a href='#{}'>{}</a></li>", anchor, heading) for anchor, heading in contents])
    listed = Html("<nav aria-label='Contents'><ul>{}</ul></nav>\n", links) if contents else Html("")
    main = Html("<main id='main' tabindex='-1'>\n<h1>{}</h1>\n{}{}\n</main>", title, listed, joined(body))
    code = joined([Html("<script>{}</script>\n", Html(text)) for text in codes])
    return f"<!doctype html>\n<html lang='en'>\n<head>{head}</head>\n<body>\n{top}{main}\n{code}</body>\n</html>\n"


def _digests(texts: Sequence[str]) -> str:
    """Return the sources of a policy that allow these texts, and no others."""
    return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)


@cache
def resource(name: str) -> str:
    """Return a file of this room: a style sheet or a script."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
