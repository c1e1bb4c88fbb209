"""Words at equal promise: the formulas against games, limits, and the page that shows them."""

from __future__ import annotations

from collections.abc import Callable
from math import expm1
from pathlib import Path

import pytest

from benchmarks.words import deterministic, memoryless, oblivious, partial_privacy
from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic, Martingale, Protocol, Robust
from disttrack.simulator import play

PAGE = Path(__file__).parents[2] / "results/reference/tables/robustness.md"


@pytest.mark.parametrize(
    ("protocol", "computed", "within"),
    [
        (Deterministic(alpha=1 / 16, centred=True), deterministic, 0.05),
        (Martingale(alpha=1 / 16), memoryless, 0.06),
        (Robust(alpha=1 / 16, parameters="tight"), partial_privacy, 0.1),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_words_are_the_computed_ones(protocol: Protocol, computed: Callable[..., float], within: float) -> None:
    """Growth by e^12 from 10^8 items; games of one kind differ by 2 %. Power: they differ by a factor of 2 and more."""
    options = {"sites": 256, "start": 10**8, "items": round(10**8 * expm1(12)), "seed": 2}
    words = play(protocol, RoundRobin(), **options).words  # type: ignore[arg-type]
    assert words / 12 == pytest.approx(computed(256, 1 / 16), rel=within)


def test_the_page_shows_what_is_computed() -> None:
    """One row, in words over k, as `python -m benchmarks.costs` prints it; made anew when a formula changes."""
    k, alpha = 16_384, 0.1
    found = [one / k for one in (oblivious(k, alpha), memoryless(k, alpha), partial_privacy(k, alpha))]
    wanted = "| 16,384 | 0.1 | " + " | ".join(f"{one:.3g}" for one in (*found, deterministic(k, alpha) / k)) + " |"
    assert wanted in PAGE.read_text(encoding="utf-8")
