"""Games, results and scenarios as HTML for a notebook: small tables in the notebook's own look, all text escaped.

The classes import these functions late, for nothing here is needed before a notebook shows something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from disttrack.simulator.experiments.results.formats import cell, number, sides_of
from disttrack.simulator.game.columns import VERDICT
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.kinds.names import count, in_words, label_of
from disttrack.simulator.shown.game_facts import facts_of, size_of
from disttrack.simulator.shown.pages.html import Html, facts, joined, table, verdict
from disttrack.simulator.shown.report.tables import claims, games

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.folder import Results
    from disttrack.simulator.experiments.scenario.load import Scenario
    from disttrack.simulator.game.face import Outcome

MOST_ROWS: Final = 30
"""Rows of a table that are shown; the tables of a result are there as data frames."""
STYLE: Final = (
    "<style>.verdict.pass {color: #2e7d32} .verdict.fail {color: #c62828} .verdict.open {color: #8a6d00}</style>\n"
)
"""Colours of verdicts, which are words too."""


def game(shown: Outcome) -> str:
    """Return a game: its verdict, its size, and its cost by kind of message; of a duel all of its columns."""
    return str(_frame(_tracked(shown) if isinstance(shown, Game) else [facts(_columns(shown.facts))]))


def _columns(known: Mapping[str, object]) -> dict[str, object]:
    """Return the columns of a game that have a value."""
    shown = {name: cell(value) for name, value in known.items() if value is not None and name != "ok"}
    return {VERDICT: verdict(str(shown.pop(VERDICT, ""))), **shown}


def _tracked(shown: Game) -> list[Html]:
    """Return the parts of a tracking game."""
    known = facts_of(shown)
    says = known.pop(VERDICT).removeprefix(shown.verdict)
    judged: dict[str, object] = {VERDICT: Html("{}{}", verdict(shown.verdict), says)}
    failed = {"error": shown.error.strip().splitlines()[-1]} if shown.error else {}
    heads = ["kind", "direction", "messages", "words"]
    rows = [[*map(cell, row)] for row in shown.kinds[heads].itertuples(index=False)]
    parts = [_heading(sides_of(shown), size_of(shown)), facts(judged | known | failed)]
    return [*parts, table(heads, rows, says="messages")] if rows else parts


def results(shown: Results) -> str:
    """Return results: the games by point and the claims, as the page of a report has them."""
    return str(
        _frame(
            [_heading(shown.headline, str(shown.dir)), games(shown, MOST_ROWS), claims(shown.claims, shown.scenario)]
        )
    )


def scenario(shown: Scenario) -> str:
    """Return a scenario: its settings, the number of games, and its claims."""
    apart = ("name", "question", "finding", "claims", "plots")
    settings = {key: _said(value) for key, value in shown.data.items() if key not in apart}
    games = f"{count(len(shown.points), 'point')}, {count(shown.games, 'game')}"
    games += f" and {number(shown.control_games)} of controls" if shown.control_games else ""
    parts = [_heading(shown.head.question or shown.name, f"{shown.name}: {games}")]
    parts.append(facts(settings))
    if shown.head.claims:
        rows = [[claim.name, claim.where, claim.measure, claim.bound] for claim in shown.head.claims]
        parts.append(table(["claim", "where", "measure", "bound"], rows, says="claims"))
    return str(_frame(parts))


def _said(value: object) -> str:
    """Return a setting in words: an entry by its kind and parameters, a list by its members."""
    if isinstance(value, Mapping):
        words = in_words(value, without=["kind"]).values()
        return label_of(str(value["kind"]), words) if "kind" in value else ", ".join(words)
    if isinstance(value, list):
        return "; ".join(map(_said, value))
    return cell(value)


def _frame(parts: Sequence[Html]) -> Html:
    return Html("{}<div style='overflow-x:auto'>{}</div>", Html(STYLE), joined(parts))


def _heading(title: str, below: str) -> Html:
    return Html("<div><b>{}</b><br><span style='opacity:.7'>{}</span></div>\n", title, below)
