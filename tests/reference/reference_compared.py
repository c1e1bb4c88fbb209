"""How a protocol is compared with its reference: the same random numbers for both, and every message and output.

Coins and noise of the packages are replaced by those of a `Tape`, one number at a time, so that both sides draw the
same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
import pytest
from reference_game import Rows, Tape, at_random, freezing, played, round_robin

from disttrack import protocols
from disttrack.adversaries import Freeze, RoundRobin
from disttrack.mechanisms.noise import Laplace
from disttrack.mechanisms.rules import gap_scale
from disttrack.protocols.base import Exactly, even_start
from disttrack.simulator import Game, play

COINS = (
    "disttrack.protocols.rounds.base",
    "disttrack.protocols.rounds.difference_estimators",
    "disttrack.protocols.sampling.randomized",
    "disttrack.protocols.sampling.copies",
)
NOISE = (
    "disttrack.protocols.rounds.robust",
    "disttrack.mechanisms.above_threshold",
    "disttrack.mechanisms.counters.linear",
    "disttrack.mechanisms.counters.binary",
    "disttrack.mechanisms.counters.simple",
)

Case = tuple[protocols.Protocol, Callable[[int, list[int], Tape, Tape], dict[str, Any]]]
"""A protocol, and what makes its reference from sites, items before the game, and tapes of coins and of noise."""


def coins_of(tape: Tape) -> type:
    """Return what stands for `Coins`: a number of the tape a draw, in the order in which they are asked for."""

    class TapeCoins:
        def __init__(self, rng: object) -> None: ...

        def gap(self, scale: float, shape: int | None = None) -> Any:
            if shape is None:
                return 1 if scale == 0 and tape.uniform() else int(-log(tape.uniform()) * scale) + 1
            return np.array([self.gap(scale) for _ in range(shape)], dtype=np.int64)

        def up_to(self, size: int, shape: None = None) -> int:
            return tape.one_of(size)

        def success(self, p: float, shape: int | None = None) -> Any:
            return self.gap(gap_scale(p), shape) == 1

    return TapeCoins


def draws_of(noise: Tape) -> type:
    """Return what stands for `Draws`: noise of the tape."""

    class TapeDraws:
        def __init__(self, distribution: Laplace, rng: object, batch: int = 1) -> None:
            self.scale = distribution.scale
            self.asked = 0

        def one(self) -> float:
            return noise.laplace(self.scale)

        def many(self, size: int) -> Any:
            self.asked = 0
            return np.array([self.one() for _ in range(size)])

        def refill(self) -> int:
            self.asked += 1  # nothing is drawn ahead: as many numbers are left as are needed
            return self.asked

        def on_grid(self, length: float) -> float:
            return length  # noise of a tape lies on no grid

        def hide(self, value: float) -> float:
            return value + self.one()

    return TapeDraws


def as_number(output: Any) -> Any:
    """Return an output as a fraction where it is exact."""
    return Fraction(*output) if isinstance(output, Exactly) else output


FEEDS = {
    "round-robin": (lambda k: RoundRobin(), round_robin),
    "freeze": (lambda k: Freeze(), freezing),
    "random": (lambda k: _asking(at_random(k, k)), lambda k: at_random(k, k)),
}


def _asking(feed: Callable[[int, Any], int | None]) -> Callable[[Any], int | None]:
    return lambda view: feed(view.steps, view.output)


class TapeGenerator:
    """What stands for the generator of a server that asks it itself."""

    def __init__(self, noise: Tape) -> None:
        self.noise = noise

    def laplace(self, mean: float, scale: float, size: int) -> Any:
        return np.array([mean + self.noise.laplace(scale) for _ in range(size)])

    def gumbel(self, size: int) -> Any:
        return np.array([self.noise.gumbel() for _ in range(size)])

    def integers(self, size: int) -> int:
        return self.noise.one_of(size) - 1


def step_by_step(
    patch: pytest.MonkeyPatch, protocol: protocols.Protocol, adversary: Any, size: tuple[int, int, int], seed: int
) -> tuple[Game, tuple[int, int]]:
    """Return a game of the step engine with random numbers of tapes, and how many it took of each."""
    (k, items, start), tape, noise = size, Tape(seed), Tape(seed + 1)
    server = type(protocol).server
    with patch.context() as patched:
        for name in COINS:
            patched.setattr(f"{name}.Coins", coins_of(tape))
        for name in NOISE:
            patched.setattr(f"{name}.Draws", draws_of(noise))
        patched.setattr(
            type(protocol), "server", lambda self, k, rng, start=(): server(self, k, TapeGenerator(noise), start)
        )
        # parts of a class that was changed are examined in short games of this size before the first one
        play(protocol, adversary, sites=k, items=items, start=start, engine="step")
        tape.rewind()
        noise.rewind()
        game = play(protocol, adversary, sites=k, items=items, start=start, engine="step", record=True)
    return game, (tape.taken, noise.taken)


def rows_of(game: Game) -> Rows:
    """Return the transcript without bits."""
    columns = ["step", "sender", "receiver", "kind", "words"]
    return list(game.transcript[columns].itertuples(index=False, name=None))


def compared(
    patch: pytest.MonkeyPatch, case: Case, feed: str, size: tuple[int, int, int], seed: int, rel: float = 1e-12
) -> Rows:
    """Hold a game against its reference, and return its transcript.

    Whole numbers and fractions are equal. Floats are within `rel`: sums may be added in another order.
    """
    protocol, reference = case
    theirs, ours = FEEDS[feed]
    k, _, start = size
    game, taken = step_by_step(patch, protocol, theirs(k), size, seed)
    tape, noise = Tape(seed), Tape(seed + 1)
    rows, outputs = played(reference(k, even_start(start, k), tape, noise), k, game.steps, ours(k))
    assert rows_of(game) == rows, (protocol, feed, size)
    assert (tape.taken, noise.taken) == taken, (protocol, feed, size)
    changes = [(step, now) for step, (before, now) in enumerate(pairwise(outputs), 1) if now != before]
    shown = [(step, as_number(output)) for step, output in game.outputs.itertuples(index=False, name=None)]
    assert [step for step, _ in shown] == [step for step, _ in changes], (protocol, feed, size)
    for (step, one), (_, other) in zip(shown, changes, strict=True):
        same = one == other if isinstance(one, int | Fraction) else one == pytest.approx(other, rel=rel)
        assert same, (protocol, feed, size, step, one, other)
    return rows
