"""Games of two engines compared: seven measures of each, and how surprising their differences are."""

from __future__ import annotations

from collections.abc import Callable

from scipy.stats import ks_2samp

from disttrack.adversaries import Adversary
from disttrack.protocols import Protocol
from disttrack.simulator import Game, play

GAMES = 500
ALARM = 1e-6
SITES, ITEMS = 4, 300

MEASURES: dict[str, Callable[[Game], float]] = {
    "words up": lambda game: game.words_up,
    "words down": lambda game: game.words_down,
    "highest error": lambda game: game.highest,
    "lowest error": lambda game: game.lowest,
    "changes of the output": lambda game: game.output_changes,
    "failing steps": lambda game: game.failing_fraction,
    "output at the end": lambda game: game._timeline["output"][-1],
}


def measured(
    protocol: Protocol, adversary: Adversary, engine: str, seeds: range, start: int = 0
) -> dict[str, list[float]]:
    """Return each measure of all the games, by name."""
    games = [
        play(protocol, adversary, sites=SITES, items=ITEMS, start=start, seed=seed, engine=engine) for seed in seeds
    ]
    assert {game.engine for game in games} == {engine}
    return {name: [float(measure(game)) for game in games] for name, measure in MEASURES.items()}


def surprises(one: dict[str, list[float]], other: dict[str, list[float]]) -> dict[str, float]:
    """Return the p-value of each measure."""
    return {name: float(ks_2samp(one[name], other[name], method="asymp").pvalue) for name in MEASURES}
