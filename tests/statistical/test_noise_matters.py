"""Where noise is needed and where it is not: the page docs/proofs.md and its proof by counting."""

from __future__ import annotations

from functools import cache
from math import ceil, pi, sqrt
from pathlib import Path

import pytest
from transcripts import deviations_without_noise, room, safe_without_noise

from disttrack.protocols.rounds.constants import paper_constants, tight_constants

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "results/reference/tables/proofs.md").read_text(encoding="utf-8")
DELTA = 0.05
FIRST = 6 * DELTA / pi**2
"""What the first round has of delta."""


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
