"""Games, results and scenarios as HTML for a notebook: small tables in the notebook's own look, all text escaped.

The classes name these functions by reference, for nothing here is needed before a notebook shows something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.pages.html import Html, facts, joined
from disttrack.simulator.pages.tables import table
from disttrack.simulator.results.answers import answer_table
from disttrack.simulator.results.formats import cell, duration, interval, number, setting

if TYPE_CHECKING:
    from disttrack.simulator.game.outcome import Game
    from disttrack.simulator.results.folder import Results
    from disttrack.simulator.scenario.load import Scenario

MOST_ROWS: Final = 30
"""Rows of a table that are shown; the tables of a result are there as data frames."""
COLOURS: Final = {"ok": "#2e7d32", "PASS": "#2e7d32", "undecided": "#8a6d00", "UNDECIDED": "#8a6d00"}
"""Of verdicts; all others are red, and all stand there as words too."""


def game(shown: Game) -> str:
    """Return a game: its verdict, its size, and its cost by kind of message."""
    promised = "" if shown.alpha is None else f" (promised: {setting(shown.alpha)})"
    known = {
        "verdict": _verdict(shown.verdict),
        "largest relative error": number(shown.max_rel_error) + promised,
        "first failure": "none" if shown.first_failure is None else f"at item {number(shown.first_failure)}",
        "words, messages, bits": ", ".join(map(number, (shown.words, shown.messages, shown.bits))),
        "changes of the output": number(shown.output_changes),
        "engine": f"{shown.engine}, {duration(shown.seconds)}",
    }
    if shown.error:
        known["error"] = shown.error.strip().splitlines()[-1]
    kinds = shown.kinds
    heads = ["kind", "direction", "messages", "words"]
    rows = [[cell(row[head]) for head in heads] for row in kinds.to_dict("records")]
    size = f"{number(shown.sites)} sites, {number(shown.items)} items, seed {shown.seed}"
    parts = [_heading(f"{shown.protocol} against {shown.adversary}", size), facts(known)]
    return str(_frame([*parts, _table(heads, rows, "messages")] if rows else parts))


def results(shown: Results) -> str:
    """Return results: the table that answers the question of their scenario, and the claims."""
    answers = answer_table(shown)
    parts = [_heading(answers.title, answers.subtitle), _table(answers.headers, answers.texts, "points")]
    claims = shown.claims
    if len(claims):
        rows = []
        for claim in claims.to_dict("records"):
            name = str(claim["name"]) + (f" [{claim['group']}]" if isinstance(claim["group"], str) else "")
            measured = [number(claim["value"]), interval(claim["low"], claim["high"]), claim["bound"]]
            rows.append([_verdict(str(claim["verdict"])), name, *measured])
        parts.append(_table(["verdict", "claim", "measured", "95 % interval", "bound"], rows, "claims"))
    parts.append(Html("<div style='opacity:.7'>{}</div>", shown.dir))
    return str(_frame(parts))


def scenario(shown: Scenario) -> str:
    """Return a scenario: what is fixed and what is swept, how many games that makes, and its claims."""
    settings = {key: value for key, value in shown.data.items() if key not in ("name", "title", "claims", "plots")}
    games = f"{number(len(shown.points))} points, {number(shown.games)} games"
    games += f" and {number(shown.control_games)} of controls" if shown.control_games else ""
    parts = [_heading(shown.head.title or shown.name, f"{shown.name}: {games}")]
    parts.append(facts(settings))
    if shown.head.claims:
        from disttrack.simulator.claims.judge import bound

        rows = [[claim.name, claim.where, claim.measure, bound(claim)] for claim in shown.head.claims]
        parts.append(_table(["claim", "where", "measure", "bound"], rows, "claims"))
    return str(_frame(parts))


def _frame(parts: Sequence[Html]) -> Html:
    return Html("<div style='overflow-x:auto'>{}</div>", joined(parts))


def _heading(title: str, below: str) -> Html:
    return Html("<div><b>{}</b><br><span style='opacity:.7'>{}</span></div>\n", title, below)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]], says: str) -> Html:
    """Return a table of the first rows, and how many more there are."""
    more = Html("<div>… and {} more rows</div>\n", number(len(rows) - MOST_ROWS)) if len(rows) > MOST_ROWS else Html("")
    return joined([table(heads, rows[:MOST_ROWS], says=says), more])


def _verdict(word: str) -> Html:
    return Html("<b style='color:{}'>{}</b>", COLOURS.get(word, "#c62828"), word)
