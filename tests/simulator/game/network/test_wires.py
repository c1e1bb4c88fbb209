"""Delays, wires and links by the draws that are given to them."""

from __future__ import annotations

from math import exp
from typing import Any

import pytest

from disttrack.simulator.game.network.latency import LONGEST, Latency
from disttrack.simulator.game.network.model import Link, Network, network_of
from disttrack.simulator.game.network.wires import Wires

# ---------------------------------------------------------------------- delays


class Scripted:
    """A generator whose draws are given."""

    def __init__(self, *draws: float) -> None:
        self.draws = list(draws)
        self.asked: list[tuple[Any, ...]] = []

    def _next(self, *asked: Any) -> float:
        self.asked.append(asked)
        return self.draws.pop(0)

    def exponential(self, mean: float) -> float:
        return mean * self._next("exponential")

    def uniform(self, least: float, largest: float) -> float:
        return least + (largest - least) * self._next("uniform")

    def standard_normal(self) -> float:
        return self._next("normal")

    def random(self) -> float:
        return self._next("random")


@pytest.mark.parametrize(
    ("latency", "draws", "steps", "mean"),
    [
        (Latency(constant=2.5), [], [3, 3], 3),
        (Latency(constant=0), [], [0], 0),
        (Latency(mean=4), [0.1, 0.5, 2.0, 1e15], [1, 2, 8, LONGEST], 4.5),
        (Latency(uniform=(2, 6)), [0.0, 0.1, 1.0], [2, 3, 6], 4.5),
        (Latency(lognormal=(4, 0.5)), [0.0, 1.0, -9.0, 1e9], [4, 7, 1, LONGEST], 4 * exp(0.125) + 0.5),
        (Latency(lognormal=(2, 3)), [1.0], [41], 2 * exp(4.5) + 0.5),
        (Latency(lognormal=(1, 100)), [8.0], [LONGEST], LONGEST),
        (Latency(lognormal=(1e-300, 20)), [40.0], [10143], 1e-300 * exp(100) + 0.5),
    ],
)
def test_delays(latency: Latency, draws: list[float], steps: list[int], mean: float) -> None:
    sample = latency.sampler(Scripted(*draws))
    assert [sample() for _ in steps] == steps
    assert latency.mean_steps == pytest.approx(mean)


# ---------------------------------------------------------------------- wires


def wires(*draws: float, k: int = 2, **network: Any) -> Wires:
    made = network_of(network)
    assert made is not None
    return Wires(made, k, Scripted(*draws))


def test_a_plain_wire_is_first_in_first_out() -> None:
    found = wires(1.0, 0.1, 2.0, 0.1, latency={"exponential": 10})
    assert [found.arrivals(0, True, now) for now in (1, 2, 3)] == [(11,), (11,), (23,)]
    assert found.arrivals(0, False, 4) == (5,)  # the other way is a wire of its own


def test_each_way_and_far_sites_have_their_own_delays() -> None:
    found = wires(latency=1, latency_down=2, far={"sites": 1, "latency": 7})
    assert [found.arrivals(site, up, 10) for site in (0, 1) for up in (True, False)] == [(11,), (12,), (17,), (17,)]
    both = network_of({"latency": 1, "latency_down": 5, "far": {"sites": 1, "latency": 7}})
    assert both is not None
    assert (both.default_timeout(2), Network(Latency(constant=4)).default_timeout(2)) == (30, 18)
    near = network_of({"latency": 1, "latency_down": 5, "far": {"sites": 1, "latency": 2}})
    assert near is not None
    assert near.default_timeout(2) == 14


def test_a_partition_cuts_its_sites_in_its_steps() -> None:
    found = wires(latency=1, partition={"from": 5, "to": 6, "sites": 1})
    assert [found.arrivals(1, up, now) for now in (4, 5, 6, 7) for up in (True, False)] == [
        (5,), (5,), (), (), (), (), (8,), (8,),
    ]  # fmt: skip
    assert [found.arrivals(0, True, now) for now in (4, 5, 6, 7)] == [(5,), (6,), (7,), (8,)]


def test_losses_holdups_and_copies_by_their_draws() -> None:
    every_fault = {"latency": {"uniform": {"from": 0, "to": 10}}, "loss": 0.5, "reordering": 0.5, "duplication": 0.5}
    assert wires(0.49, **every_fault).arrivals(0, True, 1) == ()
    assert wires(0.5, 0.5, 0.3, 0.5, **every_fault).arrivals(0, True, 1) == (4,)
    assert wires(0.5, 0.49, 0.3, 0.2, 0.5, **every_fault).arrivals(0, True, 1) == (7,)  # 1 + 3 + 1 + 2
    assert wires(0.5, 0.5, 0.3, 0.49, 0.8, **every_fault).arrivals(0, True, 1) == (4, 9)
    assert wires(0.5, 0.5, 0.3, 0.49, 0.1, **every_fault).arrivals(0, True, 1) == (4, 4)  # no copy comes first
    found = wires(0.9, 0.2, 0.1, 0.5, 0.5, 0.9, 0.3, latency={"uniform": {"from": 0, "to": 10}}, reordering=0.5)
    # held up to 1 + 5 + 1 + 5, and those behind it do not wait
    assert [found.arrivals(0, True, 1) for _ in range(3)] == [(3,), (12,), (4,)]
    assert wires(0.999, loss=1.0).arrivals(0, True, 1) == ()


def test_what_cannot_happen_draws_nothing() -> None:
    scripted = Scripted(0.9)
    made = network_of({"loss": 0.5})
    assert made is not None
    assert Wires(made, 1, scripted).arrivals(0, True, 3) == (3,)
    assert scripted.asked == [("random",)]


# ---------------------------------------------------------------------- links


def test_pauses() -> None:
    assert [Link().pause(tries, 10) for tries in range(1, 7)] == [10, 20, 40, 80, 80, 80]
    assert [Link(timeout=3, backoff=1.5).pause(tries, 10) for tries in range(1, 6)] == [3, 5, 8, 12, 18]
    assert [Link(timeout=3, longest=2).pause(tries, 10) for tries in (1, 2)] == [3, 3]
    assert [Link(backoff=1, longest=9).pause(tries, 3) for tries in (1, 9)] == [3, 3]
    assert [Link(backoff=1e300).pause(tries, 1) for tries in (1, 2, 3)] == [1, 8, 8]
