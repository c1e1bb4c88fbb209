"""What a round of the robust tracker looks like from outside, where one site receives all items."""

from __future__ import annotations

from math import log, log1p, sqrt

import pytest

from disttrack.adversaries import RoundRobin, SingleSite
from disttrack.protocols import Robust
from disttrack.simulator import play


def test_one_site_alone_ends_its_rounds_by_overflow() -> None:
    """It may use C k blocks a round, so a round grows N by the factor 1 + alpha sqrt(k)/8, less the rounding of D.

    From the start-up's 8 C sqrt(k)/alpha items on that makes ln(N/Nstart) / ln(1 + alpha sqrt(k)/8) rounds: 36.5;
    with whole blocks (D rounded down, by up to a half at first) there are a few more. Spread streams need about half.
    """
    k, items, protocol = 100, 400_000, Robust(alpha=0.1, delta=0.05)
    spread, alone = (
        play(protocol, one, sites=k, items=items, seed=3, record=True) for one in (RoundRobin(), SingleSite())
    )
    predicted = log(items * 0.1 / protocol.constants(k, 1).divisor) / log1p(0.1 * sqrt(k) / 8)
    assert predicted == pytest.approx(36.5, abs=0.5)
    assert predicted <= alone.rounds <= 1.25 * predicted
    table = alone.transcript
    number = ((table["kind"] == "round") & (table["receiver"] == k - 1)).cumsum()
    bits, ended = number[table["kind"] == "bit"].value_counts(), number[table["kind"] == "end"]
    assert len(ended) > 0.9 * (alone.rounds - 1)
    assert all(bits[one] == protocol.constants(k, one).blocks for one in ended)
    assert spread.rounds < 0.65 * alone.rounds
