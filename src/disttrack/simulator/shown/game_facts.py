"""The facts of a tracking game in texts, by their names: for the terminal and for notebooks."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from disttrack.simulator.experiments.results.formats import duration, exact, number, on_network, percent
from disttrack.simulator.game.columns import FAILED, VERDICT
from disttrack.simulator.game.face import ended_early
from disttrack.simulator.kinds.names import count

if TYPE_CHECKING:
    from disttrack.simulator.game.outcome import Game


def size_of(game: Game) -> str:
    """Return how many sites and items it has, and its seed."""
    return f"{count(game.sites, 'site')}, {count(game.items, 'item')}, seed {game.seed}"


def facts_of(game: Game) -> dict[str, str]:
    """Return verdict, error, cost, and the effects of the network if it had any; after an error only the verdict."""
    if game.error:
        return {VERDICT: game.verdict}
    error, promised = number(game.max_rel_error), "" if game.alpha is None else f"{game.alpha:g}"
    if error == promised and game.verdict == FAILED:
        error = exact(game.max_rel_error)
    if any(isinstance(output, float) and not isfinite(output) for output in game.lists()[0].get("output", ())):
        error += " (the output was no number)"
    lost = f" ({game.lost_guarantee})" * bool(promised and game.lost_guarantee)
    failing = f" ({percent(game.failing_fraction)} of the steps fail, the first at item {number(game.first_failure)})"
    unjudged = f" ({game.why_undecided})" * bool(game.why_undecided)
    ended = ended_early(game.facts)
    facts = {
        VERDICT: game.verdict + (failing if game.first_failure is not None else unjudged),
        "largest error": (error + f", promised {promised}" * bool(promised) + lost) * bool(game.steps),
        "ended": ended and f"{ended}; cost of these items",
        "network": on_network(game),
        "words": f"{game.words:,} ({game.words_up:,} up, {game.words_down:,} down)",
        "messages": f"{game.messages:,} ({count(game.broadcasts, 'broadcast')}), {count(game.bits, 'bit')}",
        "output": f"changed {count(game.output_changes, 'time')}, {count(game.rounds, 'round')}",
        "engine": f"{game.engine} ({game.engine_reason}), {duration(game.seconds)}",
    }
    return {name: text for name, text in facts.items() if text}
