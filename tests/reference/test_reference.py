"""The count protocols against a second opinion: message by message, with the same random numbers, item by item.

The references are written from the papers' algorithms alone, in dicts and lists, and share no code with the packages.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import pi

import pytest
import reference_copies
import reference_difference
import reference_robust
import reference_rounds
import reference_sampling
import reference_thresholds
from reference_compared import FEEDS, Case, compared

from disttrack import protocols
from disttrack.simulator.game.tasks.tracking import Count


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
        for epsilon in (None, 120.0):
            found[f"private-copies {alpha} {epsilon}"] = (
                protocols.PrivateCopies(alpha, delta=0.3, epsilon=epsilon, largest=2_000),
                lambda k, start, tape, noise, alpha=alpha, epsilon=epsilon: reference_copies.private_copies(
                    k, start, alpha, 0.3, epsilon, 2_000, tape, noise
                ),
            )
        found[f"sketch-switching {alpha}"] = (
            protocols.SketchSwitching(alpha, delta=0.3, largest=20_000),
            lambda k, start, tape, noise, alpha=alpha: reference_copies.sketch_switching(
                k, start, alpha, 0.3, 20_000, tape
            ),
        )
    return found


CASES = cases()
SIZES = [(1, 1, 0), (1, 2500, 0), (2, 600, 0), (7, 700, 0), (7, 1500, 1200), (64, 500, 0), (64, 800, 20_000)]
"""Sites, items, items before the game."""
OF_COPIES = [(1, 1, 0), (1, 300, 0), (2, 150, 700), (5, 120, 0), (20, 100, 0)]
"""Of private copies, whose references go through all copies and all points of a grid in plain lists."""


ROUNDS = frozenset({"item", "bit", "poll", "count", "round"})
SAID = {
    "exact": {"item"},
    "deterministic": {"report"},
    "deterministic-rounds": ROUNDS,
    "block": ROUNDS,
    "martingale": ROUNDS,
    "robust": ROUNDS | {"end"},
    "difference-estimators": ROUNDS | {"block"},
    "private-copies": {"report", "double", "total", "adjust"},
    "randomized": {"report", "double", "total", "adjust"},
    "sketch-switching": {"report", "double", "total", "adjust"},
}
"""Kinds of messages of each protocol: all of them are to be seen."""


@pytest.mark.drawn(3)
@pytest.mark.quick_cases(6)
@pytest.mark.parametrize(
    ("case", "feed"),
    [(case, feed) for at, case in enumerate(CASES) for place, feed in enumerate(FEEDS) if (at + place) % len(FEEDS)],
)
def test_messages_and_outputs_agree_step_by_step(case: str, feed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: Counter[str] = Counter()
    for size in OF_COPIES if case.startswith("private-copies") else SIZES:
        said.update(row[3] for row in compared(monkeypatch, CASES[case], feed, size, seed=size[0] + size[1]))
    assert set(said) == SAID[CASES[case][0].kind]


def test_every_count_protocol_has_a_reference() -> None:
    kinds = {protocol.kind for protocol, _ in CASES.values()}
    assert kinds == set(SAID)
    assert set(Count.kinds("protocol")) == kinds
