"""Words at equal promise: the formulas against games, limits, and the page that shows them."""

from __future__ import annotations

from math import exp, expm1, log
from pathlib import Path

import pytest

from benchmarks.words import deterministic, least_known, memoryless, oblivious, partial_privacy
from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic, Martingale, Robust
from disttrack.protocols.rounds.coin_rounds import plan, share_of
from disttrack.simulator import play

PAGE = Path(__file__).parents[2] / "docs" / "tracking.md"


@pytest.mark.parametrize(
    ("protocol", "computed", "within"),
    [
        (Deterministic(alpha=1 / 16, centred=True), deterministic(256, 1 / 16), 0.05),
        (Martingale(alpha=1 / 16), memoryless(256, 1 / 16), 0.06),
        (Robust(alpha=1 / 16, parameters="tight"), partial_privacy(256, 1 / 16), 0.1),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_words_are_the_computed_ones(protocol: object, computed: float, within: float) -> None:
    """Growth by e^12 from 10^8 items; games of one kind differ by 2 %. Power: they differ by a factor of 2 and more."""
    options = {"sites": 256, "start": 10**8, "items": round(10**8 * expm1(12)), "engine": "bulk", "seed": 2}
    words = play(protocol, RoundRobin(), **options).words  # type: ignore[arg-type]
    assert words / 12 == pytest.approx(computed, rel=within)


@pytest.mark.slow
def test_where_robustness_costs_something_and_where_nothing() -> None:
    """About 1.5 / alpha^2 sites divide them; the lower bounds' orders are below everything."""
    assert memoryless(65_536, 0.01) < oblivious(65_536, 0.01)
    assert oblivious(1024, 0.01) < memoryless(1024, 0.01) < 2.5 * oblivious(1024, 0.01)
    for k, alpha in ((1024, 0.01), (65_536, 0.1)):
        randomised, each = least_known(k, alpha)
        assert randomised < min(oblivious(k, alpha), memoryless(k, alpha), partial_privacy(k, alpha))
        assert each / 2.1 < deterministic(k, alpha) < each


@pytest.mark.quick_cases(0)
def test_a_round_of_privacy_costs_more_than_one_of_coins() -> None:
    planned = plan(4096, 1 / 64, share_of(4096, 1 / 64, 0.05, 10))
    assert planned.growth == pytest.approx(log(1 + planned.signals / 64 / planned.offset))
    assert 1.5 < partial_privacy(4096, 1 / 64) / memoryless(4096, 1 / 64) < exp(1.2)


def test_the_page_shows_what_is_computed() -> None:
    """One row, in words over k, as `python -m benchmarks.costs` prints it; made anew when a formula changes."""
    k, alpha = 16_384, 0.1
    found = [one / k for one in (oblivious(k, alpha), memoryless(k, alpha), partial_privacy(k, alpha))]
    wanted = "| 16,384 | 0.1 | " + " | ".join(f"{one:.3g}" for one in (*found, deterministic(k, alpha) / k)) + " |"
    assert wanted in PAGE.read_text(encoding="utf-8")
