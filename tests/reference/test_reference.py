"""The count protocols against a second opinion: message by message, with the same random numbers, item by item.

The references are written from the papers' algorithms alone, in dicts and lists, and share no code with the packages.
Coins and noise of the packages are replaced by those of a `Tape`, one number at a time, so that both sides draw the
same ones. Left out: `private-copies`, whose server draws a number for each point of a grid, and the `tight` constants
of `martingale` and `robust`, which are found by numerical minimisation; these have tests of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import log, pi
from typing import Any

import numpy as np
import pytest
import reference_difference
import reference_robust
import reference_rounds
import reference_sampling
import reference_thresholds
from reference_game import Rows, Tape, at_random, freezing, played, round_robin

import protocols
from adversaries import Freeze, RoundRobin
from mechanisms.noise import Laplace
from mechanisms.rules import gap_scale
from protocols.base import Exactly, even_start
from simulator import Game, play
from simulator.points import registry

COINS = (
    "protocols.rounds.base",
    "protocols.rounds.difference_estimators",
    "protocols.sampling.randomized",
    "protocols.sampling.sketch_switching",
)
NOISE = "protocols.rounds.robust", "mechanisms.counters.binary"

Case = tuple[protocols.Protocol, Callable[[int, list[int], Tape, Tape], dict[str, Any]]]


def cases() -> dict[str, Case]:
    """Return each protocol with its reference."""
    found: dict[str, Case] = {
        "exact": (protocols.Exact(), lambda k, start, tape, noise: reference_thresholds.exact(k, start))
    }
    for alpha in (0.5, 0.07):
        part = Fraction(str(alpha))
        for centred in (False, True):
            found[f"deterministic {alpha} {centred}"] = (
                protocols.Deterministic(alpha, centred),
                lambda k, start, tape, noise, part=part, centred=centred: reference_thresholds.deterministic(
                    k, start, part, centred
                ),
            )
        found[f"deterministic-rounds {alpha}"] = (
            protocols.DeterministicRounds(alpha),
            lambda k, start, tape, noise, part=part: reference_thresholds.deterministic_rounds(k, start, part),
        )
        found[f"block {alpha}"] = (
            protocols.Block(alpha, 1.5),
            lambda k, start, tape, noise, alpha=alpha: reference_rounds.block(k, start, alpha, 1.5, tape),
        )
        found[f"martingale {alpha}"] = (
            protocols.Martingale(alpha, parameters="simple", strength=2.0),
            lambda k, start, tape, noise, alpha=alpha: reference_rounds.martingale(
                k, start, alpha, lambda r: 2.0, tape
            ),
        )
        for copies in (1, 3):
            found[f"randomized {alpha} {copies}"] = (
                protocols.Randomized(alpha, 1.2, copies),
                lambda k, start, tape, noise, alpha=alpha, copies=copies: reference_sampling.randomized(
                    k, start, alpha / 1.2, copies, tape
                ),
            )
    for alpha in (0.9, 0.4):
        found[f"martingale by delta {alpha}"] = (
            protocols.Martingale(alpha, delta=0.1, parameters="simple"),
            lambda k, start, tape, noise, alpha=alpha: reference_rounds.martingale(
                k, start, alpha, lambda r: reference_sampling.enough(6 * 0.1 / (pi * r) ** 2, k), tape
            ),
        )
        found[f"robust {alpha}"] = (
            protocols.Robust(alpha, delta=0.2),
            lambda k, start, tape, noise, alpha=alpha: reference_robust.robust(k, start, alpha, 0.2, tape, noise),
        )
        found[f"difference-estimators {alpha}"] = (
            protocols.DifferenceEstimators(alpha, delta=0.2),
            lambda k, start, tape, noise, alpha=alpha: reference_difference.difference_estimators(
                k, start, alpha, 0.2, tape
            ),
        )
        found[f"sketch-switching {alpha}"] = (
            protocols.SketchSwitching(alpha, delta=0.3, largest=20_000),
            lambda k, start, tape, noise, alpha=alpha: reference_sampling.sketch_switching(
                k, start, alpha, 0.3, 20_000, tape
            ),
        )
    return found


CASES = cases()
SIZES = [(1, 1, 0), (1, 2500, 0), (2, 600, 0), (7, 700, 0), (7, 1500, 1200), (64, 500, 0), (64, 800, 20_000)]
"""Sites, items, items before the game."""


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

        def one(self) -> float:
            return noise.laplace(self.scale)

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


ROUNDS = frozenset({"item", "bit", "poll", "count", "round"})
SAID = {
    "exact": {"item"},
    "deterministic": {"report"},
    "deterministic-rounds": ROUNDS,
    "block": ROUNDS,
    "martingale": ROUNDS,
    "robust": ROUNDS | {"end"},
    "difference-estimators": ROUNDS | {"block"},
    "randomized": {"report", "double", "total", "adjust"},
    "sketch-switching": {"report", "double", "total", "adjust"},
}
"""Kinds of messages of each protocol: all of them are to be seen."""


def step_by_step(
    patch: pytest.MonkeyPatch, protocol: protocols.Protocol, adversary: Any, size: tuple[int, int, int], seed: int
) -> tuple[Game, tuple[int, int]]:
    """Return a game of the step engine with random numbers of tapes, and how many it took of each."""
    (k, items, start), tape, noise = size, Tape(seed), Tape(seed + 1)
    for name in COINS:
        patch.setattr(f"{name}.Coins", coins_of(tape))
    for name in NOISE:
        patch.setattr(f"{name}.Draws", draws_of(noise))
    game = play(protocol, adversary, sites=k, items=items, start=start, engine="step", record=True)
    return game, (tape.taken, noise.taken)


def rows_of(game: Game) -> Rows:
    """Return the transcript without bits."""
    columns = ["step", "sender", "receiver", "kind", "words"]
    return list(game.transcript[columns].itertuples(index=False, name=None))


@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize("case", CASES)
def test_messages_and_outputs_agree_step_by_step(case: str, feed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol, reference = CASES[case]
    theirs, ours = FEEDS[feed]
    said: Counter[str] = Counter()
    for size in SIZES:
        k, items, start = size
        game, taken = step_by_step(monkeypatch, protocol, theirs(k), size, k + items)
        tape, noise = Tape(k + items), Tape(k + items + 1)
        rows, outputs = played(reference(k, even_start(start, k), tape, noise), k, game.steps, ours(k))
        assert rows_of(game) == rows
        assert (tape.taken, noise.taken) == taken
        changes = [(step, now) for step, (before, now) in enumerate(pairwise(outputs), 1) if now != before]
        shown = [(step, as_number(output)) for step, output in game.outputs.itertuples(index=False, name=None)]
        assert [step for step, _ in shown] == [step for step, _ in changes]
        # sums of floats may be added in another order; whole numbers and fractions are equal
        assert all(
            one == other if isinstance(one, int | Fraction) else one == pytest.approx(other, rel=1e-12)
            for (_, one), (_, other) in zip(shown, changes, strict=True)
        )
        said.update(row[3] for row in rows)
    assert set(said) == SAID[protocol.kind]


@pytest.mark.parametrize("case", [case for case in CASES if case != "exact"])
def test_the_comparison_tells_other_parameters(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: half of alpha gives other messages, with the same random numbers."""
    protocol, _ = CASES[case]
    game, _ = step_by_step(monkeypatch, protocol, RoundRobin(), (7, 1500, 1200), 3)
    off = replace(protocol, alpha=protocol.accuracy / 2)
    other, _ = step_by_step(monkeypatch, off, RoundRobin(), (7, 1500, 1200), 3)
    assert rows_of(game) != rows_of(other)


def test_every_count_protocol_has_a_reference_or_is_named() -> None:
    kinds = {protocol.kind for protocol, _ in CASES.values()}
    assert kinds == set(SAID)
    assert set(registry.kinds("protocol")) - kinds == {"private-copies"}
