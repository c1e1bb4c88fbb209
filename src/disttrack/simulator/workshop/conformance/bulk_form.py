"""What a bulk form must do: play the games of single sites."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from scipy.stats import ks_2samp

from disttrack.adversaries import Adversary, Labels, RoundRobin, Uniform, View
from disttrack.protocols.base import Protocol, even_start
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.workshop.conformance.by_hand import first_draw
from disttrack.simulator.workshop.conformance.failure import FALSE_ALARM, Checks, recorded, require, same_game

GAMES: Final = 40
"""Games per engine that are compared; two distributions with nothing in common then have a p-value of 2e-23."""
START: Final = 1000
"""Items of a known start."""
SAME: Final = "let bulk_form give exactly the messages and outputs of sites and server"
ALIKE: Final = "let bulk_form draw what the sites draw, from item 0 on; without it, leap plays the game"


def bulk_agrees(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The bulk form, if there is one, plays the games of single sites."""
    yield None
    if type(protocol).bulk_form is not Protocol.bulk_form:
        yield from leap_and_bulk_agree(protocol, sites, items)


class InPieces(Adversary):
    """Round-robin, settled 1, 2, …, 9 steps at a time, again and again."""

    kind = "round-robin in pieces"
    oblivious = True

    def __init__(self) -> None:
        self.length = 0

    def plan(self, view: View) -> Labels:
        self.length = self.length % 9 + 1
        return Labels((view.sent + np.arange(self.length)) % view.sites, view.sites)


def leap_and_bulk_agree(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The same game where nothing is random, otherwise one of the same distribution.

    Two-sample Kolmogorov-Smirnov tests compare words, messages of a site, largest error, and the outputs at the first
    draw and at each checkpoint of the timeline, with FALSE_ALARM for all of them in all games together.
    """
    most, least, few = max(sites), min(sites), max(1, items // 5)
    settings: list[tuple[Adversary, int, int, int]] = [
        (RoundRobin(), most, items, 0),
        (Uniform(), most, items, 0),
        (InPieces(), most, few, 0),
        (InPieces(), most, few, START),
        (RoundRobin(), least, few, 0),
        (Uniform(), most, 1, START),
    ]
    for opponent, k, length, start in settings:
        where = f"adversary {opponent.kind}, {k} sites, {length} items, start {start}"
        game = partial(recorded, protocol, opponent, sites=k, items=length, start=start)
        drawn = first_draw(protocol, k, length, even_start(start, k) if start else ())
        if drawn is None:
            same = same_game(game(seed=k, engine="leap"), game(seed=k, engine="bulk"))
            require(same, f"leap and bulk play different games ({where})", SAME)
            yield None
            continue
        leap, bulk = (
            _measured([game(seed=seed, engine=engine) for seed in seeds], max(1, drawn))
            for engine, seeds in (("leap", range(GAMES)), ("bulk", range(GAMES, 2 * GAMES)))
        )
        for measure, values in leap.items():
            surprise = float(ks_2samp(values, bulk[measure]).pvalue)
            what = f"leap and bulk differ in the distribution of {measure} ({where}, p = {surprise:.1e})"
            require(surprise > FALSE_ALARM / len(settings) / len(leap), what, ALIKE)
        yield None


def _measured(games: list[Game], drawn: int) -> dict[str, object]:
    """Return each measure of all the games, by name."""
    steps = games[0].series["step"].tolist()
    outputs = np.array([game.series["output"] for game in games])
    return {
        "words": [game.words for game in games],
        "max_rel_error": [game.max_rel_error for game in games],
        "the messages of site 0": [game.messages_of_site[0][0] for game in games],
        f"the output at step {drawn}": [_standing(game, drawn) for game in games],
        **{f"the output at step {step}": outputs[:, place] for place, step in enumerate(steps)},
    }


def _standing(game: Game, step: int) -> float:
    """Return the output that stands at a step."""
    outputs = game.outputs
    place = int(outputs["step"].searchsorted(step, side="right"))
    return float(outputs["output"].iloc[place - 1]) if place else float(game.start)
