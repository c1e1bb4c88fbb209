"""Private copies against their reference where it is close: grids too long to write down, few changes left, edges."""

from __future__ import annotations

import random
from math import ceil, exp, log, log1p
from typing import Any

import numpy as np
import pytest
import reference_copies
from reference_compared import Case, TapeGenerator, compared, step_by_step
from reference_game import Tape

from disttrack import protocols
from disttrack.adversaries import RoundRobin


def case_of(alpha: float, delta: float, epsilon: float | None, largest: float, written_down: int = 2**22) -> Case:
    def reference(k: int, start: list[int], tape: Any, noise: Any) -> dict[str, Any]:
        return reference_copies.private_copies(k, start, alpha, delta, epsilon, largest, tape, noise, written_down)

    return protocols.PrivateCopies(alpha, delta, epsilon, largest), reference


@pytest.mark.parametrize("size", [(1, 300, 0), (3, 150, 400)])
def test_stretches_of_a_long_grid_are_drawn_alike(size: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disttrack.protocols.sampling.private_copies.MOST_POINTS", 100)
    for seed in range(2):
        compared(monkeypatch, case_of(0.9, 0.1, 90.0, 500, written_down=100), "freeze", size, seed)


@pytest.mark.parametrize("written_down", [100, 2**22])
@pytest.mark.parametrize("epsilon", [1.0, 10.0, 100.0])
def test_medians_are_drawn_alike(epsilon: float, written_down: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few copies with much noise, more than a game that is worth its name would have."""
    monkeypatch.setattr("disttrack.protocols.sampling.private_copies.MOST_POINTS", written_down)
    protocol = protocols.PrivateCopies(0.9, 0.3, epsilon, 50)
    numbers, last = random.Random(1), exp(log1p(0.09) * (ceil(log(2.0**63) / log1p(0.09)) - 1))
    for seed in range(12):
        found = [numbers.choice((-3, 0, 40, 55, 55, 60, 1e6, last, 1e30)) for _ in range(numbers.randrange(1, 12))]
        server: Any = protocol.server(2, TapeGenerator(Tape(seed)))
        server._rng = TapeGenerator(Tape(seed))
        expected = reference_copies.private_median(found, log1p(0.09), protocol.loss(), Tape(seed), written_down)
        assert server._median(np.array(found)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("delta", [1e-9, 0.999])
@pytest.mark.parametrize("size", [(1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 60, 900)])
def test_edges_agree(size: tuple[int, int, int], delta: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(2):
        for feed in ("round-robin", "freeze"):
            compared(monkeypatch, case_of(0.7, delta, None, 1_000), feed, size, seed)


def test_output_stays_when_the_changes_are_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few items provided for: both sides stop at the same change, and draw no more noise."""
    case = case_of(0.9, 0.5, None, 2)
    compared(monkeypatch, case, "round-robin", (2, 400, 0), 5)
    game, _ = step_by_step(monkeypatch, case[0], RoundRobin(), (2, 400, 0), 5)
    assert len(game.outputs) == reference_copies.changes(0.9, 2, 0)
    assert game.outputs.step.iloc[-1] < 100
