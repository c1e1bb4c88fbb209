"""The scenario `power`: its tracker is proven right with its noise, and its attacker goes further without it."""

from __future__ import annotations

from math import log, sqrt, tanh
from pathlib import Path
from typing import Final

import yaml
from drawn_again import hold_drawn_again
from transcripts import room

from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import NoiseUnion
from disttrack.protocols import Robust
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

SCENARIO: Final = yaml.safe_load(shipped_scenarios()["power"].read_text(encoding="utf-8"))["parts"]["noise"]
DELTA: Final = 0.05


def scenario() -> tuple[Robust, dict[str, int]]:
    """Return the tracker of the scenario, and the size of its games."""
    given = dict(SCENARIO["protocol"])
    assert given.pop("kind") == "robust"
    return Robust(**given), {name: SCENARIO[name] for name in ("sites", "start", "items")}


def test_the_tracker_of_the_scenario_is_proven_right_with_its_noise() -> None:
    """Below, noise, what a transcript gives away, and sampling (Hoeffding); above, k bits are never exceeded.

    So it fails with probability 0.05 at most against any adversary that sees the outputs, whatever it does.
    """
    protocol, size = scenario()
    k, of = size["sites"], protocol.constants(size["sites"], 1)
    assert not protocol.proven
    noise = counter(of.counter, of.counter_epsilon, of.releases)
    sums = [list(noise.noise_parts(t) or ()) for t in range(1, of.phases)]
    threshold = (of.threshold_scale, 1)
    above = NoiseUnion.of(sums).quantile(0.4 * DELTA)
    below = NoiseUnion.of([[threshold], *([*parts, threshold] for parts in sums)]).quantile(0.4 * DELTA)
    told = k * tanh((1 / of.threshold_scale + of.counter_epsilon) / 4)
    sampling = sqrt(k / 2 * log(1 / (0.2 * DELTA)))
    given = room(of)
    assert above + k <= given[0]
    assert below + told + sampling <= given[1] - 1  # a phase with noise is over with a bit more or less
    assert 250 < below + told + sampling < 260
    # as deep as its phases allow, trial without noise gets further than that
    spent = 0.85 * of.phases
    assert k * spent / (spent + k) > given[1] + 50


def test_its_figure_is_drawn_again(tmp_path: Path) -> None:
    hold_drawn_again("power", 0, tmp_path)
