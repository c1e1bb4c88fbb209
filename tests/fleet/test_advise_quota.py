"""`disttrack advise --quota`: units, the ranking, the scenario that verifies it, and what is refused."""

from __future__ import annotations

import random

import pytest
from commands import disttrack, refused

from disttrack.fleet.advice import LEAST, advise, candidates, scenario_of, service_of, settled
from disttrack.simulator.errors import ScenarioError


def test_its_answer_holds_when_it_is_played() -> None:
    words = ("--quota", "200/s", "--sites", "6", "--overshoot", "5%", "--latency", "10ms")
    shown = disttrack("advise", *words, "--out", "mine.yaml").stdout
    assert "cheapest:      lease" in shown
    assert "600 steps are 1 s, 200 requests are admitted in them, messages take 6" in shown
    assert "verify:        disttrack run mine.yaml" in shown
    played = disttrack("run", "mine.yaml", "--no-figures").stdout
    assert "PASS     no window admits more than is allowed" in played
    with open("mine.yaml") as file:
        assert file.read().partition("\n")[2] in disttrack("advise", *words).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--quota", "1000/week"), "must be as in 1000/s, 60/min or 1e6/h; got '1000/week'"),
        (("--quota", "1000/s", "--latency", "20"), "must be as in 20ms, 1s or 5min; got '20'"),
        (("--quota", "1000/s", "--overshoot", "0.1"), "must be as in 2%; got '0.1'"),
        (("--quota", "1000/s", "--overshoot", "200%"), "--overshoot must be from 0 %, and below 100 %; got 200 %"),
        (("--quota", "1000/s", "--load", "900/s"), "--load must be above the quota of 1000 per second; got 900"),
        (("--quota", "1/h"), "--quota and --window must make a limit of at least one request; got 0.000278"),
        (("--quota", "10/s", "--sites", "0"), "--sites must be at least 1; got 0"),
        (("--quota", "10/s", "--alpha", "0.1"), "--alpha does not go with --quota"),
        (("--latency", "2ms"), "--latency needs --quota"),
    ],
)
def test_what_it_refuses(words: tuple[str, ...], said: str) -> None:
    assert said in refused("advise", *words)


def test_units_are_those_of_seconds() -> None:
    service = service_of(12, 50.0, 60.0, 200.0, 0.0, 0.5)
    assert (service.limit, service.window, service.latency) == (3000, 12_000, 100)


def test_a_service_that_nothing_suits() -> None:
    with pytest.raises(ScenarioError, match="no protocol keeps this overshoot"):
        advise(service_of(8, 20.0, 1.0, None, 0.01, 5.0))


def test_each_candidate_guarantees_the_overshoot() -> None:
    rng = random.Random(5)
    for _ in range(200):
        overshoot, latency = rng.choice([0.0, 0.001, 0.03, 0.3]), rng.choice([0.0, 0.001, 0.05])
        service = service_of(rng.choice([1, 4, 100]), rng.choice([10.0, 1000.0, 1e5]), 1.0, None, overshoot, latency)
        for protocol in candidates(service):
            most = protocol.worst(service.sites, service.latency, service.latency)
            assert most <= service.limit * (1 + overshoot) + 1e-6, (protocol, service)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(2))
def test_the_first_is_the_cheapest_of_all_that_are_played(block: int) -> None:
    """Within 5 %, in at least 9 of 10 services; other seeds than those of the advice, and all candidates played."""
    rng, right = random.Random(block), 0
    for _ in range(10):
        sites, quota = rng.choice([4, 16, 64]), rng.choice([100.0, 1000.0])
        service = service_of(sites, quota, 1.0, None, rng.choice([0.001, 0.01, 0.1]), rng.choice([0, 0.001, 0.02]))
        first = advise(service)[0]
        games = [settled(protocol, service, 1) for protocol in candidates(service)]
        cheapest = min(one.words for one in games if one.utilisation >= LEAST)
        right += next(one.words for one in games if one.label == first.label) <= 1.05 * cheapest
    assert right >= 9


def test_the_scenario_has_what_it_names() -> None:
    service = service_of(4, 100.0, 1.0, None, 0.1, 0.0)
    best = advise(service)[0]
    assert f"protocol: {{kind: {best.protocol.kind}" in scenario_of(best, service)
    assert all(f"{name}: {value}" in scenario_of(best, service) for name, value in best.parameters.items())
