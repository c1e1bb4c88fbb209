"""How much work the games of this wing are."""

from __future__ import annotations

import pytest

from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import kinds, parameters


def test_rounds_of_experts_that_are_passed_in_chunks_are_expected_to_be_quick() -> None:
    """A game of 32,768 rounds and two experts took 15 to 20 ms where a third of a second was stated."""
    game = {"task": "experts", "experts": 2, "steps": 32_768, "protocol": {"kind": "perturbed-leader", "within": 4}}
    quick, slow = (estimate(load({**game, "adversary": one}), 1).seconds for one in ("round-robin", "freeze"))
    assert 0.01 < quick < 0.05 < 0.2 < slow


@pytest.mark.parametrize(
    ("task", "slow", "usual"),
    [("continual-count", "unbounded", "binary"), ("continual-count", "square-root", "hybrid")],
)
def test_a_mechanism_that_takes_longer_is_expected_to(task: str, slow: str, usual: str) -> None:
    sizes = {"task": task, "steps": 2**20, "adversary": "round-robin"}
    privacy = {"epsilon": 1.0, "delta": 1e-6}
    times = []
    for kind in (slow, usual):
        given = {name: value for name, value in privacy.items() if name in parameters(kinds("protocol")[kind].load())}
        times.append(estimate(load({**sizes, "protocol": {"kind": kind, **given}}), 1).seconds)
    assert times[0] > 5 * times[1]
