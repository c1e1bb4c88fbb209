"""What a bulk form must do: play the games of single sites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.stats import ks_2samp

from disttrack.adversaries import Adversary, Freeze, Labels, Rotation, RoundRobin, Uniform, View
from disttrack.protocols.base import Protocol, even_start
from disttrack.simulator.conformance.by_hand import first_draw
from disttrack.simulator.conformance.failure import FALSE_ALARM, Checks, require, same_game
from disttrack.simulator.conformance.segments import segments_are_well_formed
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import play

GAMES: Final = 40
"""Games a side that are compared; two distributions with nothing in common then have a p-value of 2e-23."""
START: Final = 1000
"""Items of a known start."""
SAME: Final = "let bulk_form give the very messages and outputs of sites and server"


def bulk_agrees(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The bulk form, if there is one, is well formed and plays the games of single sites."""
    yield None
    if has_bulk_form(protocol):
        yield from segments_are_well_formed(protocol, sites, items)
        yield from leap_and_bulk_agree(protocol, sites, items)


def has_bulk_form(protocol: Protocol) -> bool:
    """Tell whether a protocol says anything about its bulk form."""
    return type(protocol).bulk_form is not Protocol.bulk_form


class Setting(NamedTuple):
    """A game to be played by both engines."""

    opponent: Adversary
    k: int
    items: int
    start: int

    def play(self, protocol: Protocol, engine: str, seed: int) -> Game:
        """Return the game."""
        size: dict[str, Any] = {"sites": self.k, "items": self.items, "start": self.start}
        return play(protocol, self.opponent, **size, seed=seed, engine=engine, record=True)

    def __str__(self) -> str:
        started = f", start {self.start}" if self.start else ""
        return f"adversary {self.opponent.kind}, {self.k} sites, {self.items} items{started}"


class InPieces(Adversary):
    """Round-robin, settled 1, 2, …, 9 steps at a time, again and again."""

    kind = "round-robin in pieces"
    oblivious = True

    def __init__(self) -> None:
        self.length = 0

    def plan(self, view: View) -> Labels:
        self.length = self.length % 9 + 1
        return Labels((view.sent + np.arange(self.length)) % view.sites, view.sites)


class Turning(Adversary):
    """Goes over all sites in turn, from another one whenever the output has changed."""

    kind = "turning"

    def plan(self, view: View) -> Rotation:
        return Rotation(view.sites, 7 * view.changes)


def settings(protocol: Protocol, sites: Sequence[int], items: int) -> list[Setting]:
    """Return the games to be compared; against adversaries that react only if the protocol says that it plays them."""
    k, few = max(sites), max(1, items // 5)
    reacting = [
        Setting(Freeze(), k, items, 0),
        Setting(Freeze(), min(sites), few, START),
        Setting(Turning(), k, few, START),
    ]
    return (reacting if protocol.reacting_bulk != "none" else []) + [
        Setting(RoundRobin(), k, items, 0),
        Setting(Uniform(), k, items, 0),
        Setting(InPieces(), k, few, 0),
        Setting(InPieces(), k, few, START),
        Setting(RoundRobin(), min(sites), few, 0),
        Setting(Uniform(), k, 1, START),
    ]


def leap_and_bulk_agree(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The same game where nothing is random, otherwise the same up to the first draw, and the same distribution.

    Two-sample Kolmogorov-Smirnov tests compare words, largest error, and the outputs that stand at that first draw and
    at each checkpoint of the timeline, with FALSE_ALARM for all of them in all settings together.
    """
    games = settings(protocol, sites, items)
    for setting in games:
        begun = even_start(setting.start, setting.k) if setting.start else ()
        drawn = first_draw(protocol, setting.k, setting.items, begun)
        if drawn is None:
            one, other = (setting.play(protocol, engine, setting.k) for engine in ("leap", "bulk"))
            require(same_game(one, other), f"leap and bulk play different games ({setting})", SAME)
            yield None
            continue
        if not isinstance(setting.opponent, Uniform):
            _same_until(drawn - 1, protocol, setting)
            yield None
        _same_distribution(protocol, setting, max(1, drawn), FALSE_ALARM / len(games))
        yield None


def _same_until(last: int, protocol: Protocol, setting: Setting) -> None:
    """Demand the same messages and outputs up to step `last`, before which nothing has been drawn."""
    leap, bulk = (setting.play(protocol, engine, setting.k) for engine in ("leap", "bulk"))
    for what in ("transcript", "outputs"):
        one, other = (table[table["step"] <= last] for table in (getattr(leap, what), getattr(bulk, what)))
        require(
            one.to_numpy().tolist() == other.to_numpy().tolist(),
            f"leap and bulk play different games before anything random is drawn, at step {last + 1} "
            f"({what}, {setting})",
            SAME,
        )


def _same_distribution(protocol: Protocol, setting: Setting, drawn: int, alarm: float) -> None:
    leap, bulk = (
        _measured([setting.play(protocol, engine, seed) for seed in seeds], drawn)
        for engine, seeds in (("leap", range(GAMES)), ("bulk", range(GAMES, 2 * GAMES)))
    )
    for measure, values in leap.items():
        surprise = float(ks_2samp(values, bulk[measure]).pvalue)
        require(
            surprise > alarm / len(leap),
            f"leap and bulk differ in the distribution of {measure} ({setting}, p = {surprise:.1e})",
            "let bulk_form draw what the sites draw, from item 0 on; without it, leap plays the game",
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


BULK_FORM_CHECKS: Final = {
    "segments are well formed": segments_are_well_formed,
    "leap and bulk agree": leap_and_bulk_agree,
}
