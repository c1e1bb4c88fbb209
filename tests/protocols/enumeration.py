"""Every outcome of a protocol's coins, one after the other, with its exact probability.

A protocol that tosses finitely many coins over a short input is a finite tree. Here its coins are
replaced by scripts, so that expectations come out as fractions and are compared with ``==``: no
sampling, no tolerance, no false alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import expm1
from typing import Any

from disttrack.protocols.base import EVERYONE, Message, Protocol


class ScriptedCoins:
    """Takes the place of `protocols.coins.Coins`; follows a script of choices, then takes the first of each.

    Parameters
    ----------
    script
        Which outcome to take at each draw.
    length
        Items of the game.

    Attributes
    ----------
    horizon
        Gaps beyond so many items are all alike, and are one outcome: those that lead past the end of
        the game, or back past its first item.
    """

    def __init__(self, script: Sequence[int], length: int) -> None:
        self.script = script
        self.length = self.horizon = length
        self.taken: list[int] = []
        self.ways: list[int] = []
        self.probability = Fraction(1)

    def reach(self, item: int) -> None:
        """Take note that the game is at this item, from 1."""
        self.horizon = max(item, self.length - item)

    def gap(self, scale: float, shape: None = None) -> int:
        """Return 1, 2, … with the geometric law."""
        return 1 + self._choose(geometric(scale, self.horizon)) if scale else 1

    def up_to(self, size: int, shape: None = None) -> int:
        """Return 1 … size, each alike."""
        return 1 + self._choose((Fraction(1, size),) * size)

    def success(self, p: float, shape: None = None) -> bool:
        """Return True with probability p."""
        bias = Fraction(p)
        return bias == 1 or self._choose((bias, 1 - bias)) == 0

    def _choose(self, law: tuple[Fraction, ...]) -> int:
        place = len(self.taken)
        choice = self.script[place] if place < len(self.script) else 0
        self.taken.append(choice)
        self.ways.append(len(law))
        self.probability *= law[choice]
        return choice


@cache
def geometric(scale: float, horizon: int) -> tuple[Fraction, ...]:
    """Return the probabilities of 1 … horizon, and of everything beyond, for a scale as `Coins` takes it."""
    # scale = -1 / ln(1 - p); every p here is one over a small whole number
    bias = Fraction(-expm1(-1 / scale)).limit_denominator(1000)
    law = [bias * (1 - bias) ** (g - 1) for g in range(1, horizon + 1)]
    return (*law, (1 - bias) ** horizon)


def every_outcome(play: Callable[[ScriptedCoins], Any], length: int) -> Iterator[tuple[Fraction, Any]]:
    """Yield (probability, result) for each outcome of the coins that `play` tosses."""
    script: list[int] = []
    while True:
        coins = ScriptedCoins(script, length)
        result = play(coins)
        yield coins.probability, result
        # the next leaf: the last draw that has a further way takes it, and those after it begin anew
        script = coins.taken
        while script and script[-1] == coins.ways[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1


def outputs(protocol: Protocol, moves: Sequence[int], k: int, rng: Any, start: Sequence[int] = ()) -> list[Fraction]:
    """Play a few items by hand and return the output after each: the game without any of the simulator."""
    sites, server = protocol.sites(k, rng, start), protocol.server(k, rng, start)

    def down(pairs: Any) -> None:
        for receiver, message in pairs:
            for site in range(k) if receiver == EVERYONE else (receiver,):
                up(site, sites[site].hear(message))

    def up(site: int, messages: Sequence[Message]) -> None:
        for message in messages:
            down(server.hear(site, message))

    found = []
    for item, site in enumerate(moves, start=1):
        if isinstance(rng, ScriptedCoins):
            rng.reach(item)
        up(site, sites[site].take(1))
        found.append(Fraction(server.output))
    return found


def moments(play: Callable[[ScriptedCoins], list[Fraction]], length: int) -> tuple[list[Fraction], list[Fraction], int]:
    """Return the exact means and variances of a list of outputs, and how many outcomes there were."""
    leaves = list(every_outcome(play, length))
    assert sum(probability for probability, _ in leaves) == 1
    steps = len(leaves[0][1])
    means = [sum((p * found[i] for p, found in leaves), Fraction(0)) for i in range(steps)]
    squares = [sum((p * found[i] ** 2 for p, found in leaves), Fraction(0)) for i in range(steps)]
    return means, [square - mean**2 for mean, square in zip(means, squares, strict=True)], len(leaves)
