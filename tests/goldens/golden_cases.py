"""Which games have a golden transcript: for each protocol, an input that does not react and one that does.

The parameters are small, so that a few dozen messages show start-up, rounds, polls, phases, redraws and copies.
"""

from __future__ import annotations

from dataclasses import dataclass

from disttrack.adversaries import Adversary, Freeze, RoundRobin, SingleSite, Uniform
from disttrack.protocols import (
    Batch,
    Block,
    CoinReports,
    Countdown,
    Deterministic,
    DeterministicRounds,
    DifferenceEstimators,
    Exact,
    Martingale,
    PrivateCopies,
    Protocol,
    Randomized,
    Robust,
    SketchSwitching,
)


@dataclass(frozen=True)
class Case:
    """A game with a golden transcript.

    Parameters
    ----------
    sites, items, start, seed
        As `simulator.play` takes them.
    variant
        What tells it apart from the other games of its protocol, in the name of its file.
    """

    protocol: Protocol
    adversary: Adversary
    sites: int
    items: int
    start: int = 0
    seed: int = 1
    variant: str = ""

    @property
    def name(self) -> str:
        """The name of its file, without the ending."""
        return "-".join(part for part in (self.protocol.kind, self.variant, self.adversary.kind) if part)


CASES = [
    Case(Exact(), RoundRobin(), sites=3, items=24),
    Case(Exact(), Freeze(), sites=3, items=24),
    Case(Deterministic(alpha=0.5), RoundRobin(), sites=3, items=60),
    Case(Deterministic(alpha=0.5), Freeze(), sites=3, items=60),
    Case(Deterministic(alpha=0.2, centred=True), SingleSite(), sites=1, items=600, variant="centred"),
    Case(DeterministicRounds(alpha=0.5), RoundRobin(), sites=3, items=54),
    Case(DeterministicRounds(alpha=0.5), Freeze(), sites=2, items=40),
    Case(Randomized(alpha=0.5, confidence=2), Uniform(), sites=4, items=48),
    Case(Randomized(alpha=0.25, confidence=1), Freeze(), sites=4, items=152, start=64),
    Case(Block(alpha=0.5, confidence=1), Uniform(), sites=4, items=44),
    Case(Block(alpha=0.5, confidence=1), Freeze(), sites=4, items=96, start=32),
    Case(Martingale(alpha=0.5, delta=0.9), Uniform(), sites=3, items=60),
    Case(Martingale(alpha=0.5, delta=0.9), Freeze(), sites=4, items=96, start=32),
    Case(Martingale(alpha=0.5, parameters="simple", strength=1.0), Uniform(), sites=4, items=64, variant="simple"),
    Case(
        Martingale(alpha=0.5, parameters="simple", strength=1.0),
        Freeze(),
        sites=4,
        items=96,
        start=16,
        variant="simple",
    ),
    Case(Robust(alpha=0.9, delta=0.9), Uniform(), sites=2, items=54),
    Case(Robust(alpha=0.9, delta=0.9), Freeze(), sites=4, items=150, start=200),
    Case(Robust(alpha=0.9, delta=0.9, parameters="tight"), RoundRobin(), sites=4, items=54, variant="tight"),
    Case(Countdown(threshold=48, epsilon=0.1), RoundRobin(), sites=3, items=48),
    Case(Countdown(threshold=48, epsilon=0.1), Freeze(), sites=3, items=40, start=8),
    Case(Batch(threshold=48, epsilon=0.25), RoundRobin(), sites=3, items=48),
    Case(Batch(threshold=48, epsilon=0.25), Freeze(), sites=3, items=48),
    Case(CoinReports(threshold=48, epsilon=0.5), RoundRobin(), sites=3, items=48),
    Case(CoinReports(threshold=48, epsilon=0.5), Freeze(), sites=3, items=48),
    Case(DifferenceEstimators(alpha=0.9, delta=0.9), RoundRobin(), sites=2, items=38),
    Case(DifferenceEstimators(alpha=0.5, delta=0.9), Freeze(), sites=2, items=60, start=40),
    Case(SketchSwitching(alpha=0.9, delta=0.9, largest=100), RoundRobin(), sites=2, items=40),
    Case(SketchSwitching(alpha=0.9, delta=0.9, largest=4400), Freeze(), sites=2, items=500, start=4400),
    Case(PrivateCopies(alpha=0.9, delta=0.9, largest=100), RoundRobin(), sites=2, items=40),
    Case(PrivateCopies(alpha=0.9, delta=0.9, largest=200), Freeze(), sites=2, items=70, start=32),
]
