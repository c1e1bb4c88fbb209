"""The page: one HTML file with the games in it, and the script that plays them; it asks the network for nothing."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np

from disttrack.simulator.pages import shell
from disttrack.simulator.pages.html import Html, data, joined
from disttrack.simulator.replay.fold import on_one_clock
from disttrack.simulator.replay.frames import Frames
from disttrack.simulator.replay.record import GameRecord, last_line
from disttrack.simulator.replay.sentences import amount

STATIC: Final = Path(__file__).with_name("static")
SCRIPTS: Final = ("game.js", "picture.js", "player.js")
EXACT: Final = 2**53
"""Whole numbers up to which a browser has all."""
FAR: Final = 1e6
"""Quotients beyond are drawn at the edge anyway, and JSON has no infinity."""


def page(records: Sequence[GameRecord]) -> str:
    """Return the page of one game, or of two side by side on one clock."""
    folded = on_one_clock(records)
    two = len(records) > 1
    sections = [_section(place, game, two) for place, game in enumerate(folded.games)]
    body = [
        Html(_static("controls.html")),
        Html("<p class='note' id='folded'>{}</p>\n", folded.says) if folded.says else Html(""),
        Html("<p id='said' class='visually-hidden' aria-live='polite'></p>\n"),
        Html("<div class='games{}'>\n{}\n</div>\n", " two" if two else "", joined(sections)),
        Html(_static("reading.html")),
        data("games", {"step": folded.edges.tolist(), "games": [_game(game, folded.looks) for game in folded.games]}),
    ]
    title = " beside ".join(record.title for record in records)
    scripts = ["\n".join(_static(name) for name in SCRIPTS)]
    return shell.page(title, body, styles=[_static("replay.css")], scripts=scripts, kicker="Replay of a game")


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def facts(record: GameRecord) -> str:
    """Return the game in a line: sizes, seed, outcome."""
    about = record.about
    parts = [f"{about['sites']:,} sites", f"{about['items']:,} items"]
    if about["start"]:
        parts.append(f"after {about['start']:,}")
    if about["alpha"] is not None:
        parts.append(f"α = {about['alpha']:g}")
    if about.get("scenario"):
        parts.append(f"{about['scenario']}, point {about.get('point')}, trial {about.get('trial')}")
    if record.delayed:
        network = ", ".join(f"{key} {value}" for key, value in (about["network"] or {}).items())
        parts.append(f"messages take time{f' ({network})' if network else ''}; only the first failure is marked")
    words = sum(message.words for message in record.messages)
    parts += [f"seed {about['seed']}", f"{len(record.messages):,} messages, {words:,} words", about["verdict"]]
    if about["error"]:
        parts.append(f"ended by an error: {last_line(about['error'])}")
    return " · ".join(parts)


def _section(place: int, game: Frames, titled: bool) -> Html:
    return Html(
        "<section class='game' aria-labelledby='title{0}'>\n<h2 id='title{0}'>{1}</h2>\n<p class='facts'>{2}</p>\n"
        "<p class='numbers' id='numbers{0}'></p>\n"
        "<div class='frame'><canvas id='picture{0}' role='img' aria-describedby='told{0}' "
        "aria-label='Messages between sites and server, and the estimate against the truth'></canvas></div>\n"
        "<p class='told' id='told{0}'></p>\n<ul class='kinds' id='kinds{0}' aria-label='Kinds of messages'></ul>\n"
        "</section>\n",
        place,
        game.record.title if titled else "The game",
        facts(game.record),
    )


def _game(game: Frames, looks: Mapping[str, Any]) -> dict[str, Any]:
    """Return a game in plain lists; see `static/game.js`, which reads them."""
    about, ratios, arrows = game.record.about, game.ratios, game.arrows
    return {
        "title": game.record.title,
        "alpha": about["alpha"],
        "start": about["start"],
        "steps": about["steps"],
        "columns": [game.columns.label(column) for column in range(game.columns.number)],
        "kinds": [looks[kind] for kind in game.kinds],
        "items": [_json(value) for value in ratios.items.tolist()],
        "output": [_json(value) for value in ratios.output],
        "end": _rounded(ratios.end),
        "low": _rounded(ratios.low),
        "high": _rounded(ratios.high),
        "failing": np.flatnonzero(ratios.failing).tolist(),
        "fed": game.fed,
        "arrows": {field.name: getattr(arrows, field.name).tolist() for field in fields(arrows)},
        "held": packed(game.held),
        "says": {str(row): sentence for row, sentence in game.says.items()},
        "first": game.first,
    }


def _json(value: float) -> float | str:
    """Return a number for the page; in words if it is none of JSON, or a whole one that a browser would round."""
    if not isfinite(value) or abs(value) >= EXACT:
        return amount(value)
    return int(value) if value == int(value) else value


def _rounded(quotients: Any) -> list[float]:
    return [float(f"{value:.7g}") for value in np.clip(quotients, -FAR, FAR).tolist()]


def packed(table: Any) -> str:
    """Return a table of whole numbers below 2^31 for the page: differences by rows, 32 bits each, deflated, base 64."""
    changes = np.diff(np.minimum(table, 2**31 - 1), axis=0, prepend=0).astype("<i4")
    return base64.b64encode(zlib.compress(changes.tobytes(), 9)).decode()
