"""Delays: what is accepted, and how they are drawn."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Exact
from disttrack.simulator import play
from disttrack.simulator.game.network import Latency


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"constant": 1, "mean": 1},
        {"constant": -1},
        {"constant": inf},
        {"constant": nan},
        {"constant": "5"},
        {"constant": True},
        {"mean": 0},
        {"mean": -2},
        {"mean": nan},
        {"uniform": (3, 2)},
        {"uniform": (-1, 2)},
        {"uniform": 3},
        {"uniform": (1, 2, 3)},
        {"lognormal": (0, 1)},
        {"lognormal": (1, nan)},
        {"lognormal": (1,)},
    ],
)
def test_what_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="latency"):
        Latency(**wrong)


def test_no_delay_is_no_network() -> None:
    assert Latency(constant=0).instant
    assert not Latency(constant=0.1).instant
    assert not Latency(mean=0.1).instant
    games = [
        play(Exact(), RoundRobin(), sites=2, items=20, record=True, engine="leap", network=network)
        for network in (None, Latency(constant=0))
    ]
    assert games[0].transcript.equals(games[1].transcript)


@pytest.mark.parametrize(("constant", "steps"), [(1, 1), (2.5, 3), (0.001, 1), (7.0, 7)])
def test_a_constant_delay_is_rounded_up(constant: float, steps: int) -> None:
    sampler = Latency(constant=constant).sampler(np.random.default_rng(0))
    assert [sampler() for _ in range(3)] == [steps] * 3


@pytest.mark.false_alarm(1e-6)
def test_exponential_delays_are_rounded_up() -> None:
    """ceil of an exponential of mean m is geometric with p = 1 - exp(-1/m): chi-square, false alarms 1e-6.

    Power: rounding to the nearest step makes a third of the delays of m = 3 a step shorter, and 0 possible.
    """
    mean, number = 3.0, 20_000
    sampler = Latency(mean=mean).sampler(np.random.default_rng(5))
    drawn = np.array([sampler() for _ in range(number)])
    assert drawn.min() >= 1
    law = stats.geom(1 - np.exp(-1 / mean))
    most = 12
    observed = np.bincount(np.minimum(drawn, most), minlength=most + 1)[1:]
    expected = number * np.append(law.pmf(np.arange(1, most)), law.sf(most - 1))
    assert ((observed - expected) ** 2 / expected).sum() < stats.chi2.isf(1e-6, most - 1)


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_what_is_sent_in_a_step_arrives_so_many_steps_later(engine: str) -> None:
    game = play(Exact(), RoundRobin(), sites=3, items=10, record=True, engine=engine, network=Latency(constant=2.5))
    assert game.transcript["step"].tolist() == list(range(1, 11))  # the ledger's time is that of sending
    assert game.outputs["step"].tolist() == list(range(4, 11))
    assert game.outputs["output"].tolist() == list(range(1, 8))
    assert game.messages == 10  # those still under way at the end were sent all the same
