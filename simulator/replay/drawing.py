"""Some steps of a game as a drawing for a paper: SVG with text as text, nothing cut off, read without colour too."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any, Final

import numpy as np

from disttrack.simulator.replay.fold import Folded, on_one_clock
from disttrack.simulator.replay.frames import Frames
from disttrack.simulator.replay.page import facts
from disttrack.simulator.replay.record import GameRecord

ROWS: Final = 120
"""Rows of a drawing; more steps than that share rows."""
ROW: Final = 12.0
HEAD: Final = 92.0
SPARE: Final = 12.0
"""Height of a row, of what stands above them, and of the gaps, in points."""
LEFT: Final = 78.0
CHART: Final = 120.0
WIDE: Final = 420.0
"""Widths: of the steps and the server, of estimate against truth, and of all columns."""
REACH: Final = 2.5
"""Errors in units of alpha that the chart shows; greater ones stand at its edge."""
BESIDE: Final = 60
"""Rows up to which a single game has the adversary's moves beside it."""
LETTER: Final = 0.56
"""Width of a letter on average, in units of the size; an upper estimate for sans-serif."""


@dataclass(frozen=True)
class _Place:
    """Where a game stands in the drawing: its left edge, and from there its columns and its chart."""

    left: float
    columns: int

    @property
    def server(self) -> float:
        return self.left + LEFT - 22

    @property
    def chart(self) -> float:
        return self.left + LEFT + WIDE + SPARE

    @property
    def right(self) -> float:
        return self.chart + CHART

    def x(self, column: int) -> float:
        return self.left + LEFT + (column + 0.5) * WIDE / self.columns

    def quotient(self, value: float, alpha: float) -> float:
        share = (value - 1 + REACH * alpha) / (2 * REACH * alpha)
        return self.chart + CHART * min(1.0, max(0.0, share))


def drawing(records: Sequence[GameRecord], first: int = 0, last: int | None = None) -> str:
    """Return the steps from `first` to `last` of one game, or of two side by side, as SVG."""
    folded = on_one_clock(records, arrows=2**62, rows=ROWS, span=(first, last))
    shown = range(0 if first == 0 else min(1, len(folded.edges) - 1), len(folded.edges))
    bottom = HEAD + ROW * len(shown)
    parts: list[str] = []
    left, lowest = SPARE, bottom
    for game in folded.games:
        place = _Place(left, game.columns.number)
        parts += _head(game, place)
        parts += _rows(game, place, folded, shown)
        parts += _chart(game, place, shown)
        left = place.right + 2 * SPARE
        if len(records) == 1 and len(shown) <= BESIDE:
            moves, wide = _moves(game, place, shown)
            parts += moves
            left = max(left, place.right + SPARE + wide)
        legend, low = _legend([folded.looks[kind] for kind in game.kinds], place, bottom + 2 * SPARE)
        parts += legend
        lowest = max(lowest, low)
    width = left - SPARE
    captions = [
        line for text in _captions(folded, shown) for line in textwrap.wrap(text, int((width - 24) / (9 * LETTER)))
    ]
    parts += [_text(SPARE, lowest + SPARE * (1.4 + row), line, 9) for row, line in enumerate(captions)]
    height = lowest + SPARE * (len(captions) + 2)
    title = escape(" beside ".join(record.title for record in records))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.1f}" height="{height:.1f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" role="img">\n'
        f"<title>{title}</title>\n"
        f'<rect width="{width:.1f}" height="{height:.1f}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: float, y: float, text: str, size: float = 8, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0, more: str = "") -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"{more}/>'


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def _head(game: Frames, place: _Place) -> Iterator[str]:
    """Yield title, facts, and the labels of columns and chart."""
    wide = place.right - place.left
    lines = textwrap.wrap(game.record.title, int(wide / (11 * LETTER)))[:2]
    for row, line in enumerate(lines):
        yield _text(place.left, 16 + 13 * row, line, 11, more=' font-weight="bold"')
    for row, line in enumerate(textwrap.wrap(facts(game.record), int(wide / (8 * LETTER)))[:3]):
        yield _text(place.left, 16 + 13 * len(lines) + 10 * row, line, 8)
    yield _text(place.server - 8, HEAD - 6, "step", anchor="end")
    yield _text(place.server, HEAD - 18, "server", anchor="middle")
    yield _text(place.left + LEFT + WIDE / 2, HEAD - 18, "sites", anchor="middle")
    labels = [game.columns.label(column) for column in range(place.columns)]
    every = max(1, -int(-(max(map(len, labels)) + 1) * 8 * LETTER * place.columns // WIDE))
    for column in range(0, place.columns, every):
        yield _text(place.x(column), HEAD - 6, labels[column], anchor="middle")
    yield _text(place.chart + CHART / 2, HEAD - 18, "estimate / truth", anchor="middle")
    alpha = game.record.about["alpha"]
    for value, name in ((1 - (alpha or 0), "1−α"), (1, "1"), (1 + (alpha or 0), "1+α")):
        if alpha or value == 1:
            yield _text(place.quotient(value, alpha or 0.1), HEAD - 6, name, anchor="middle")


def _rows(game: Frames, place: _Place, folded: Folded, shown: range) -> Iterator[str]:
    """Yield the sites that are fed, the steps, and the messages."""
    width = max(2.0, WIDE / place.columns)
    bottom = HEAD + ROW * len(shown)
    yield _line(place.server, HEAD, place.server, bottom, "#999999")
    for row in shown:
        y = HEAD + ROW * (row - shown.start)
        for column in game.fed[row]:
            yield _box(place.x(column) - width / 2, y, width, ROW, "#ffdf80")
        mark = "! " if game.ratios.failing[row] else ""
        bold = ' font-weight="bold"' if mark else ""
        yield _text(place.server - 8, y + ROW * 0.72, f"{mark}{folded.edges[row]:,}", 8, "end", bold)
    arrows = game.arrows
    kinds = [folded.looks[kind] for kind in game.kinds]
    table = zip(*(getattr(arrows, name).tolist() for name in ("row", "up", "kind", "column")), strict=True)
    for row, arrows_of_row in groupby(sorted(one for one in table if one[0] in shown), key=lambda one: one[0]):
        groups = [(group, [one[3] for one in some]) for group, some in groupby(arrows_of_row, key=lambda one: one[1:3])]
        for nth, ((up, kind), columns) in enumerate(groups):
            y = HEAD + ROW * (row - shown.start + (nth + 1) / (len(groups) + 1))
            yield from _message(place, y, bool(up), kinds[kind], columns, min(1.0, 2 / len(groups)))
            if len(groups) <= 2:
                yield from _letter(place.server + 7 + 8 * nth, y, kinds[kind])


def _message(
    place: _Place, y: float, up: bool, look: dict[str, Any], columns: Sequence[int], scale: float
) -> Iterator[str]:
    """Yield the arrows of one kind and direction in a row: one line, with an end for each site."""
    colour = look["light"]
    dash = f' stroke-dasharray="{" ".join(map(str, look["dash"]))}"' if look["dash"] else ""
    yield _line(place.server, y, place.x(max(columns)), y, colour, 0.9, dash)
    ends = [(place.server, up, -1)] + [(place.x(column), not up, 1) for column in columns]
    for x, head, side in ends:
        if head:
            back, half = x - 5 * side * scale, 2.4 * scale
            points = f"{x:.1f},{y:.1f} {back:.1f},{y - half:.1f} {back:.1f},{y + half:.1f}"
            yield f'<polygon points="{points}" fill="{colour}"/>'
        else:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.7 * scale:.2f}" fill="{colour}"/>'


def _letter(x: float, y: float, look: dict[str, Any]) -> Iterator[str]:
    """Yield the letter of a kind on its line."""
    yield _box(x, y - 4, 6, 8, "#ffffff")
    yield _text(x + 1, y + 2.6, look["letter"], 8, more=f' fill="{look["light"]}" font-weight="bold"')


def _chart(game: Frames, place: _Place, shown: range) -> Iterator[str]:
    """Yield the estimate against the truth: the band, the extremes of each row, and its value at the row's end."""
    alpha, ratios = game.record.about["alpha"], game.ratios
    unit = alpha or 0.1
    bottom = HEAD + ROW * len(shown)
    for row in np.flatnonzero(ratios.failing).tolist():
        if row in shown:
            yield _box(place.chart, HEAD + ROW * (row - shown.start), CHART, ROW, "#f6cdbd")
    if alpha:
        low, high = place.quotient(1 - alpha, unit), place.quotient(1 + alpha, unit)
        yield _box(low, HEAD, high - low, bottom - HEAD, "#e0e5ea")
    yield _line(
        place.quotient(1, unit), HEAD, place.quotient(1, unit), bottom, "#777777", 0.7, ' stroke-dasharray="3 2"'
    )
    points = []
    for row in shown:
        y = HEAD + ROW * (row - shown.start)
        low, high = (place.quotient(float(np.clip(value[row], -1e6, 1e6)), unit) for value in (ratios.low, ratios.high))
        yield _box(low, y + ROW * 0.25, max(0.8, high - low), ROW * 0.5, "#8db4da")
        value = float(np.clip(ratios.end[row], -1e6, 1e6))
        points.append(f"{place.quotient(value, unit):.1f},{y + ROW / 2:.1f}")
    yield f'<polyline points="{" ".join(points)}" fill="none" stroke="#0b5cad" stroke-width="1.4"/>'


def _moves(game: Frames, place: _Place, shown: range) -> tuple[list[str], float]:
    """Return what the adversary saw and did, beside its rows, and how wide that is."""
    sentences = [(row, game.says[row]) for row in shown if row in game.says]
    lines = [
        _text(place.right + SPARE, HEAD + ROW * (row - shown.start) + ROW * 0.72, sentence, 7.5)
        for row, sentence in sentences
    ]
    return lines, max((len(sentence) for _, sentence in sentences), default=0) * 7.5 * LETTER + SPARE


def _legend(looks: Sequence[dict[str, Any]], place: _Place, y: float) -> tuple[list[str], float]:
    """Return the kinds of messages with their looks, and how far down they go."""
    parts = []
    x = place.left
    for look in looks:
        name = f"{look['letter']}  {look['name']}"
        wide = 40 + (len(name) + 2) * 8.5 * LETTER
        if x + wide > place.right and x > place.left:
            x, y = place.left, y + 12
        dash = f' stroke-dasharray="{" ".join(map(str, look["dash"]))}"' if look["dash"] else ""
        parts += [_line(x, y - 3, x + 32, y - 3, look["light"], 1.6, dash), _text(x + 37, y, name, 8.5)]
        x += wide
    return parts, y


def _captions(folded: Folded, shown: range) -> Iterator[str]:
    """Yield what stands below: what the marks mean, what is folded, and first failures that are among the steps."""
    yield (
        "Time goes downwards, a row for each step at which something happened. An arrow is a message, from its dot to "
        "its head; a shaded cell the site that the adversary feeds. Right: estimate over truth at the end of each row "
        "(line) and within it (bar), the band 1 ± α, and rows beyond it (!)."
    )
    if folded.says:
        yield folded.says
    for game in folded.games:
        if game.first and game.first[0] in shown:
            name = f"{game.record.title}: " if len(folded.games) > 1 else ""
            yield name + game.first[1]
