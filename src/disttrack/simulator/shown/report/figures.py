"""The figures of a page: the SVG of each, its values for the script that shows them, its caption."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from disttrack.simulator.shown.pages.html import Html, data, joined
from disttrack.simulator.shown.plots.base import Picture, brief
from disttrack.simulator.shown.plots.description import Area, Axis, Bars, Cells, Description, Panel, Series

HEAVY: Final = 1_000_000
"""A figure whose SVG has more bytes is in the page as PNG."""
STROKES: Final = 'stroke-linejoin="round" stroke-linecap="butt"'
"""The style sheet that matplotlib puts into an SVG, as attributes."""
Value = str | int | float | None
_LETTERS: Final = {"propto": "∝", "pm": "±", "sqrt": "√", "alpha": "α", "varepsilon": "ε"}


def figures(pictures: Sequence[Picture]) -> Html:
    """Return figures one below the other, each with its values if they are known."""
    return joined([_figure(picture, f"figure-{place}") for place, picture in enumerate(pictures, start=1)])


def _figure(picture: Picture, anchor: str) -> Html:
    described = picture.described
    live = values = link = Html("")
    says = picture.caption
    if described is not None:
        live = data(f"{anchor}-data", {"name": picture.name, **values_of(described)})
        link = Html(" data-figure='{}'", f"{anchor}-data")
        values = Html("<details class='values'><summary>Values</summary></details>")
        says = f"{says} {described.note}"
    return Html(
        Path(__file__).with_name("figure.html").read_text(encoding="utf-8"),
        anchor, link, live, says.strip(), Html(_picture(picture, anchor)), brief(picture.caption), values,
    )  # fmt: skip


def _picture(picture: Picture, anchor: str) -> str:
    """Return an SVG that this process has drawn as a part of a page, its ids unlike those of other figures.

    A heavy one is a PNG in data, and so is any other file an image: there no script runs that is in it.
    """
    path, text = picture.path, picture.svg
    if not text or len(text) > HEAVY:
        form, path = ("svg+xml", path) if path.stat().st_size <= HEAVY else ("png", path.with_suffix(".png"))
        content = base64.b64encode(path.read_bytes()).decode("ascii")
        return f"<img alt='' src='data:image/{form};base64,{content}'>"
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # a page allows its own style sheets only: the one of matplotlib becomes attributes
    text = re.sub(r"<defs>\s*<style[^<]*</style>\s*</defs>", "", text).replace("<svg ", f"<svg {STROKES} ", 1)
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{anchor}-", text)


def values_of(described: Description) -> dict[str, object]:
    """Return the values of a figure, for JSON: its panels, and each part of a series with its rows.

    A row has x, y, and the ends of the range around y, as tables have them; `at` has the places where they are drawn,
    in units of the axes, where that is elsewhere.
    """
    names, parts, colours = described.names(), [], dict[str, str]()
    for place, panel in enumerate(described.panels):
        with_ends = {one.name for one in panel.of(Series) if one.low is not None}
        for item in panel.items:
            if isinstance(item, Series | Bars | Cells) or (isinstance(item, Area) and item.name not in with_ends):
                rows = [[_value(panel.x, x), _value(panel.y, y), *map(_number, ends)] for x, y, *ends in item.rows()]
                part = {"panel": place, "series": names.index(item.name), "role": item.role, "rows": rows}
                parts.append(part | {"at": _drawn(panel, item, rows)})
                colours.setdefault(item.name, _colour(item))
    panels = [{"title": plain(one.title), "x": plain(one.x.label), "y": plain(one.y.label)} for one in described.panels]
    return {"series": names, "colours": [colours[name] for name in names], "panels": panels, "parts": parts}


def _drawn(panel: Panel, item: Series | Area | Bars | Cells, rows: list[list[Value]]) -> list[list[Value]]:
    """Return where the rows of an item are drawn; empty where that is at their own values."""
    if isinstance(item, Area):
        return []
    points = [(row[3] if isinstance(item, Bars) else row[0], row[1]) for row in item.rows()]  # bars at their ends
    places = [[_number(x), _number(float(np.clip(y, *panel.y.edges)))] for x, y in points if y is not None]
    return [] if places == [row[:2] for row in rows] else places


def _colour(item: Series | Area | Bars | Cells) -> str:
    """Return the colour by which a series is known."""
    match item:
        case Series():
            return item.look.colour
        case Cells():
            return item.shades[-1]
    return item.fill.colour


def _value(axis: Axis, value: float | None) -> Value:
    """Return a value of an axis: its name where the axis has words."""
    return _number(value) if value is None or not axis.names else plain(axis.names[round(value)])


def _number(value: float | None) -> Value:
    """Return a number as tables have it: an infinite one by its word, None for none.

    >>> _number(2.0), _number(0.5), _number(float("inf")), _number(float("nan"))
    (2, 0.5, 'infinite', None)
    """
    if value is None or value != value:
        return None
    if np.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    return int(value) if value == int(value) else float(value)


def plain(text: str) -> str:
    r"""Return a text without its formulas' marks.

    >>> plain(r"words  $\propto k^{0.50\pm 0.02}$")
    'words ∝ k^0.50± 0.02'
    """
    shown = re.sub(r"\\([A-Za-z]+)", lambda match: _LETTERS.get(match[1], match[1]), text)
    return " ".join(re.sub(r"[${}]", "", shown).split())
