"""Where noise is needed and where it is not: the page docs/tight.md, its proof by counting, and the scenario."""

from __future__ import annotations

from functools import cache
from math import ceil, log, pi, sqrt, tanh
from pathlib import Path

import pytest
import yaml
from transcripts import deviations_without_noise, room, safe_without_noise

from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.noise_union import NoiseUnion
from disttrack.protocols import Robust
from disttrack.protocols.rounds.constants import paper_constants, tight_constants

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tight.md").read_text(encoding="utf-8")
FILE = ROOT / "src/disttrack/attack/scenarios/power.yaml"
SCENARIO = yaml.safe_load(FILE.read_text(encoding="utf-8"))["parts"]["noise"]
DELTA = 0.05
FIRST = 6 * DELTA / pi**2
"""What the first round has of delta."""


def scenario() -> tuple[Robust, dict[str, int]]:
    """Return the tracker of the scenario, and the size of its games."""
    given = dict(SCENARIO["protocol"])
    assert given.pop("kind") == "robust"
    return Robust(**given), {name: SCENARIO[name] for name in ("sites", "start", "items")}


@cache
def rows() -> list[str]:
    """Return the rows of the page's table: what counting proves of rounds without noise."""
    found = []
    for name, ks in (("paper", [2**e for e in (8, 12, 16, 22, 24)]), ("tight", [128, 256, 1024])):
        for k in ks:
            of = (
                paper_constants(k, DELTA, 1) if name == "paper" else tight_constants(k, DELTA, 1, 1 / sqrt(k), "binary")
            )
            above, below = deviations_without_noise(k, of.phases, ceil(of.phase_length), FIRST)
            given = room(of)
            verdict = "right" if safe_without_noise(of, k, FIRST) else "open"
            shares = f"{above:,.0f} of {given[0]:,.0f} | {below:,.0f} of {given[1]:,.0f}"
            found.append(f"| {name} | {k:,} | {of.phases:,} | {ceil(of.phase_length):,} | {shares} | {verdict} |")
    return found


@pytest.mark.parametrize("row", rows())
def test_the_page_shows_what_counting_proves(row: str) -> None:
    assert row in PAGE


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
