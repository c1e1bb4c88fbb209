"""The page: one HTML file with the games in it, and the script that plays them; it loads nothing from the network."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Final, TypedDict

import numpy as np

from disttrack.simulator.experiments.scenario.settings import flat
from disttrack.simulator.kinds.names import count, in_words
from disttrack.simulator.shown.pages.html import Html, data, joined
from disttrack.simulator.shown.pages.html import page as document
from disttrack.simulator.shown.replay.frames import Frames, Integers, on_one_clock
from disttrack.simulator.shown.replay.record import GameRecord, last_line, shown
from disttrack.simulator.shown.replay.sentences import amount, named

FAR: Final = 1e6
"""Quotients beyond are drawn at the edge anyway, and JSON has no infinity."""
COLOURS: Final = ("#0072B2", "#B84A00", "#00795A", "#A0457F", "#7A6600", "#4A4A4A")
"""Of messages on white: hues of the Okabe-Ito palette, each with a contrast above 4.5."""
DARK: Final = ("#56B4E9", "#FF9E57", "#2FD1A5", "#E59AC6", "#F0E442", "#DDDDDD")
"""The same on black."""
DASHES: Final = ((), (7, 3), (2, 2), (8, 2, 2, 2), (1, 3), (12, 4))
"""Lengths of strokes and gaps in pixels; empty for an unbroken line."""


class Style(TypedDict):
    """How a kind of messages looks, on light and on dark ground."""

    name: str
    letter: str
    light: str
    dark: str
    dash: list[int]


def page(records: Sequence[GameRecord]) -> str:
    """Return the page of one game, or of two side by side on one clock."""
    games, folded = on_one_clock(records)
    styles = looks(records)
    two = len(games) > 1
    sections = [
        Html(_static("game.html"), place, game.record.title if two else "The game", facts(game.record))
        for place, game in enumerate(games)
    ]
    body = [
        Html(_static("controls.html")),
        Html("<p class='note' id='folded'>{}</p>\n", folded) if folded else Html(""),
        Html("<div class='games{}'>\n{}\n</div>\n", " two" if two else "", joined(sections)),
        Html(_static("reading.html")),
        data("games", {"step": games[0].rows.step.tolist(), "games": [_game(game, styles) for game in games]}),
    ]
    title = " beside ".join(record.title for record in records)
    scripts = ["\n".join(_static(f"{name}.js") for name in ("game", "picture", "player"))]
    return document(title, body, styles=[_static("replay.css")], scripts=scripts, kicker="Replay of a game")


def _static(name: str) -> str:
    return (Path(__file__).parent / "static" / name).read_text(encoding="utf-8")


def facts(record: GameRecord) -> str:
    """Return the game in a line: sizes, seed, outcome."""
    about = record.about
    network = ", ".join(map(shown, in_words(flat(about.network or {})).values()))
    lost = f"{len(about.lost):,} of them lost" if about.lost is not None else "lost ones unknown"
    late = f"messages take time{f' ({network})' if network else ''}; {lost}; only the first failure is marked"
    parts = [
        count(about.sites, "site"),
        count(about.items, "item"),
        f"after {about.start:,}" if about.start else "",
        f"α = {about.alpha:g}" if about.alpha is not None else "",
        f"item {named(record.item)}, of the largest error" if record.item is not None else "",
        f"{about.scenario}, point {about.point}, trial {about.trial}" if about.scenario else "",
        late if record.delayed else "",
        f"seed {about.seed}",
        f"{count(about.messages, 'message')}, {count(about.words, 'word')}",
        about.verdict,
        f"ended by an error: {last_line(about.error)}" if about.error else "",
        (about.shortest or "").replace("\n", "; "),
    ]
    return " · ".join(filter(None, parts))


def chart_of(record: GameRecord) -> str:
    """Return the heading of the chart: the number that is 1 without an error."""
    return "estimate / truth" if record.item is None else "1 + error / N"


def looks(records: Sequence[GameRecord]) -> dict[str, Style]:
    """Return how each kind of messages looks: colour, dash and letter, so that no difference is one of colour alone."""
    letters: list[str] = []
    styles: dict[str, Style] = {}
    for place, kind in enumerate(dict.fromkeys(kind for record in records for kind in record.kinds)):
        spare = [letter for letter in f"{kind}{ascii_lowercase}{digits}?" if letter.strip() and letter not in letters]
        letters.append(spare[0] if spare else "?")
        lap, colour = divmod(place, len(COLOURS))
        dash = list(DASHES[(colour + lap) % len(DASHES)])
        styles[kind] = {
            "name": kind, "letter": letters[-1], "light": COLOURS[colour], "dark": DARK[colour], "dash": dash,
        }  # fmt: skip
    return styles


def _game(game: Frames, styles: Mapping[str, Style]) -> dict[str, object]:
    """Return a game in plain lists; see `static/game.js`, which reads them."""
    rows = game.rows
    return {
        "title": game.record.title,
        "alpha": game.record.about.alpha,
        "chart": chart_of(game.record),
        "steps": game.record.about.steps,
        "columns": game.columns,
        "kinds": [styles[kind] for kind in game.record.kinds],
        "items": [amount(value) for value in rows["items"]],
        "output": [amount(value) for value in rows.output],
        **{name: rows[name].clip(-FAR, FAR).round(7).tolist() for name in ("quotient", "low", "high")},
        "failing": np.flatnonzero(rows.failing).tolist(),
        "fed": rows.fed.tolist(),
        "arrows": game.arrows.to_dict("list"),
        "held": packed(game.held),
        "moves": game.moves,
        "first": game.first,
    }


def packed(table: Integers) -> str:
    """Return a table of whole numbers below 2^31 for the page: differences by rows, 32 bits each, deflated, base 64."""
    changes = np.diff(np.minimum(table, 2**31 - 1), axis=0, prepend=0).astype("<i4")
    return base64.b64encode(zlib.compress(changes.tobytes(), 9)).decode()
