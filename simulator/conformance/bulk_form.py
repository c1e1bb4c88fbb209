"""What a bulk form must do: play the games of single sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from scipy.stats import ks_2samp

from adversaries import Adversary, RoundRobin, Uniform
from protocols.base import Protocol
from simulator.conformance.by_hand import first_draw
from simulator.conformance.failure import FALSE_ALARM, require, same_game
from simulator.game.outcome import Game
from simulator.game.play import play

GAMES: Final = 40
"""Games a side that are compared; two distributions with nothing in common then have a p-value of 2e-23."""


def bulk_agrees(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    """The bulk form plays the same game where nothing is random, otherwise one of the same distribution.

    Up to the first random draw every message and every output must be the same. Two-sample Kolmogorov-Smirnov tests
    compare the rest: words, largest error, and the outputs that stand at that first draw and at each checkpoint of
    the timeline, with FALSE_ALARM for all of them together.
    """
    yield
    if type(protocol).bulk_form is Protocol.bulk_form:
        return  # it has no bulk form
    k = max(sites)
    drawn = first_draw(protocol, k, items)
    for opponent in (RoundRobin(), Uniform()):
        if drawn is None:
            games = [_played(protocol, opponent, engine, k, items, k) for engine in ("leap", "bulk")]
            require(same_game(*games), subject, f"leap and bulk play different games (adversary {opponent.kind})")
            yield
            continue
        if isinstance(opponent, RoundRobin):
            _same_until(drawn - 1, protocol, subject, opponent, k, items)
            yield
        _same_distribution(protocol, subject, opponent, k, items, drawn)
        yield


def _played(protocol: Protocol, opponent: Adversary, engine: str, k: int, items: int, seed: int) -> Game:
    return play(protocol, opponent, sites=k, items=items, seed=seed, engine=engine, record=True)


def _same_until(last: int, protocol: Protocol, subject: str, opponent: Adversary, k: int, items: int) -> None:
    """Demand the same messages and outputs up to step `last`, before which nothing has been drawn."""
    leap, bulk = (_played(protocol, opponent, engine, k, items, k) for engine in ("leap", "bulk"))
    for what in ("transcript", "outputs"):
        one, other = (table[table["step"] <= last] for table in (getattr(leap, what), getattr(bulk, what)))
        require(
            one.to_numpy().tolist() == other.to_numpy().tolist(),
            subject,
            f"leap and bulk play different games before anything random is drawn, at step {last + 1} ({what})",
        )


def _same_distribution(protocol: Protocol, subject: str, opponent: Adversary, k: int, items: int, drawn: int) -> None:
    leap, bulk = (
        _measured([_played(protocol, opponent, engine, k, items, seed) for seed in seeds], drawn)
        for engine, seeds in (("leap", range(GAMES)), ("bulk", range(GAMES, 2 * GAMES)))
    )
    for measure, values in leap.items():
        surprise = float(ks_2samp(values, bulk[measure]).pvalue)
        require(
            surprise > FALSE_ALARM / len(leap),
            subject,
            f"leap and bulk differ in the distribution of {measure} (adversary {opponent.kind}, p = {surprise:.1e})",
        )


def _measured(games: list[Game], drawn: int) -> dict[str, Any]:
    """Return each measure of all the games, by name."""
    steps = games[0].series["step"].tolist()
    outputs = np.array([game.series["output"] for game in games])
    return {
        "words": [game.words for game in games],
        "max_rel_error": [game.max_rel_error for game in games],
        f"the output at step {drawn}": [_standing(game, drawn) for game in games],
        **{f"the output at step {step}": outputs[:, place] for place, step in enumerate(steps)},
    }


def _standing(game: Game, step: int) -> float:
    """Return the output that stands at a step."""
    outputs = game.outputs
    place = int(outputs["step"].searchsorted(step, side="right"))
    return float(outputs["output"].iloc[place - 1]) if place else float(game.start)
