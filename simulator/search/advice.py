"""Advice: the trackers that keep a promise in a situation, ranked by words; exact games settle the cheapest few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf
from typing import Any, Final

from disttrack.adversaries.adaptive import Freeze
from disttrack.adversaries.oblivious import RoundRobin
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import play
from disttrack.simulator.points.registry import make, parameters
from disttrack.simulator.tasks.tracking import Count

AGAINST: Final = {
    "nothing": ("always", "adaptive", "oblivious"),
    "outputs": ("always", "adaptive"),
    "state": ("always",),
}
"""Guarantees that hold against an adversary that sees this much."""
FORMS: Final = {"centred": (False, True), "parameters": ("paper", "tight", "simple", "median")}
"""Parameters of which each value makes a tracker of its own, for the classes that take it."""
SETTLED: Final = 6
"""Trackers of the lowest bounds that are played."""
SHORT: Final = 2e6
"""A game against a stream that does not react is played up to this number of messages, by its cost bound."""
SHORTER: Final = 2e5
"""The same against an adversary that reacts to the outputs."""
MOST_SITES: Final = 2**20
"""Numbers of sites up to which the answer is followed."""


@dataclass(frozen=True)
class Situation:
    """What a tracker is wanted for.

    Parameters
    ----------
    sites, items
        Number of sites and of items.
    alpha
        Relative error allowed, at every step.
    delta
        Probability with which the error may ever exceed it.
    against
        What an adversary sees: nothing, outputs or state.
    """

    sites: int
    items: int
    alpha: float
    delta: float = 0.05
    against: str = "outputs"


@dataclass(frozen=True)
class Candidate:
    """A tracker that keeps the promise.

    Attributes
    ----------
    protocol, parameters
        The tracker, and its parameters that are not the usual ones.
    words
        Words of a game, the most of its games; its cost bound if none was played.
    games
        Its games, against `round-robin` and, if the adversary reacts, `freeze`; empty if none is short enough.
    """

    protocol: Protocol
    parameters: dict[str, Any]
    words: float
    games: Sequence[Game] = field(default=(), repr=False)

    @property
    def error(self) -> float:
        """Return the largest error of its games in units of alpha; 0 without a game."""
        return max((game.max_rel_error / game.alpha for game in self.games if game.alpha), default=0.0)

    @property
    def label(self) -> str:
        """Return kind and parameters as `disttrack play` takes them."""
        return " ".join([self.protocol.kind, *(f"{name}={value}" for name, value in self.parameters.items())])

    def words_at(self, sites: int, situation: Situation) -> float:
        """Return the predicted words with another number of sites, by the growth of the bound that is quick."""
        here, there = (self.protocol.quick_bound(k, situation.items) for k in (situation.sites, sites))
        return self.words * there / here


@dataclass(frozen=True)
class Advice:
    """Trackers for a situation, the cheapest first.

    Attributes
    ----------
    situation
        The situation.
    ranked
        The trackers that were played, by predicted words, then the others by their bounds.
    below, above
        The nearest numbers of sites with another answer, each with the tracker that is cheapest there; None if there
        is none from 1 to 2^20 sites. They are predicted, with the words of the games at the given number of sites.
    """

    situation: Situation
    ranked: Sequence[Candidate]
    below: tuple[int, Candidate] | None
    above: tuple[int, Candidate] | None

    @property
    def best(self) -> Candidate:
        """Return the cheapest tracker."""
        return self.ranked[0]


def advise(situation: Situation, seed: int = 0) -> Advice:
    """Rank the trackers that keep a promise; the cheapest few by exact games, at the full size where they are short.

    Raises
    ------
    ScenarioError
        No tracker keeps the promise, or a parameter is out of range.
    """
    if situation.against not in AGAINST:
        raise ScenarioError(f"against must be one of {', '.join(AGAINST)}; got {situation.against!r}")
    found = sorted(candidates(situation), key=lambda one: one.words)
    settled = sorted((_settled(one, situation, seed) for one in found[:SETTLED]), key=lambda one: one.words)
    return Advice(
        situation, [*settled, *found[SETTLED:]], _next(settled, situation, 0.5), _next(settled, situation, 2.0)
    )


def candidates(situation: Situation) -> Iterator[Candidate]:
    """Yield each registered tracker that promises this accuracy at all steps, in each of its forms.

    A guarantee against inputs that do not react counts if it is one for all steps at once, with a delta.
    """
    given = {"alpha": situation.alpha, "delta": situation.delta, "largest": situation.items}
    for kind in Count.kinds("protocol").values():
        maker = kind.load()
        takes = parameters(maker)
        usual = {name: value for name, value in given.items() if name in takes}
        forms = [[(name, value) for value in values] for name, values in FORMS.items() if name in takes]
        for form in map(dict, product(*forms)):
            try:
                protocol: Protocol = make("protocol", maker, usual | form)
            except ScenarioError as error:
                if str(error).startswith(("alpha: ", "delta: ")):
                    raise
                continue  # constants of another tracker, or a parameter that only its user knows
            for_all_steps = protocol.guarantee == "always" or "delta" in takes
            if protocol.guarantee in AGAINST[situation.against] and for_all_steps:
                chosen = {**usual, **form}
                own = {name: value for name, value in chosen.items() if name != "alpha" and value != takes[name]}
                bound = protocol.cost_bound(situation.sites, situation.items)
                yield Candidate(protocol, own, bound if bound < inf else float(situation.items))


def _settled(one: Candidate, situation: Situation, seed: int) -> Candidate:
    """Return a tracker with the words of whole games, as far as they are short; else as it is."""
    sides = [RoundRobin()] * (one.words < SHORT) + [Freeze()] * (one.words < SHORTER and situation.against != "nothing")
    sizes: dict[str, Any] = {"sites": situation.sites, "items": situation.items, "seed": seed}
    games = [play(one.protocol, side, **sizes) for side in sides]
    return replace(one, words=float(max(game.words for game in games)), games=games) if games else one


def _next(ranked: Sequence[Candidate], situation: Situation, factor: float) -> tuple[int, Candidate] | None:
    """Return the nearest number of sites at which another tracker is cheapest, going up or down by a factor."""
    near, far = situation.sites, situation.sites

    def cheapest(sites: int) -> Candidate:
        return min(ranked, key=lambda one: one.words_at(sites, situation))

    while True:
        near, far = far, round(far * factor)
        if not 1 <= far <= MOST_SITES:
            return None
        if cheapest(far) is not ranked[0]:
            break
    while abs(far - near) > 0.05 * near:
        middle = (near + far) // 2
        near, far = (middle, far) if cheapest(middle) is ranked[0] else (near, middle)
    return far, cheapest(far)
