"""Every registered protocol, adversary and private counter goes through the public conformance tests."""

from __future__ import annotations

import inspect
import random
from dataclasses import MISSING

import pytest

from disttrack import adversaries, protocols
from disttrack.adversaries import Adversary
from disttrack.adversaries.contents import ItemAdversary
from disttrack.mechanisms import COUNTERS
from disttrack.protocols import Deterministic, Protocol
from disttrack.protocols.contents import HeavyHitters, ItemTracker
from disttrack.protocols.thresholds.alarms import Threshold
from disttrack.simulator import check_adversary, check_counter, check_protocol
from disttrack.simulator.kinds.installed import CORE, compared
from disttrack.simulator.kinds.registry import kinds, parameters
from disttrack.simulator.workshop.conformance import packages
from disttrack.simulator.workshop.conformance.packages import USUAL
from disttrack.simulator.workshop.conformance.suites import STEPS

PROTOCOLS = [
    found
    for name in protocols.__all__
    if inspect.isclass(found := getattr(protocols, name))
    and issubclass(found, Protocol)
    and not issubclass(found, ItemTracker)  # tested below
    and not inspect.isabstract(found)
]
OF_FILES = ("trace", "table")
"""Adversaries that are made of what the user brings; they have tests of their own."""
ADVERSARIES = [
    found
    for name, kind in kinds("adversary").items()
    if issubclass(found := kind.load(), Adversary) and found.plays_in("count") and name not in OF_FILES
]

TRACKERS, STREAMS = (
    [one for name in room.__all__ if inspect.isclass(one := getattr(room, name)) and issubclass(one, base) and one.kind]
    for room, base in ((protocols.contents, ItemTracker), (adversaries.contents, ItemAdversary))
)


def test_that_there_is_something_to_test() -> None:
    assert len(PROTOCOLS) >= 7
    assert len(ADVERSARIES) >= 8
    assert len(COUNTERS) >= 13
    assert len(TRACKERS) >= 5
    assert len(STREAMS) >= 7


PROTOCOLS.sort(key=lambda cls: cls is not Deterministic)  # a quick one first


@pytest.mark.drawn(5)
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda cls: cls.kind)
def test_protocol(protocol: type[Protocol]) -> None:
    items = 1200 if protocol.kind == "private-copies" else 250  # before that it draws nothing that matters
    one = protocol(threshold=400, epsilon=0.2) if issubclass(protocol, Threshold) else protocol
    assert len(check_protocol(one, sites=(1, 7), items=items)) >= 7


@pytest.mark.drawn(10)
@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda cls: cls.kind)
def test_adversary(adversary: type[Adversary]) -> None:
    assert len(check_adversary(adversary, sites=(1, 7), items=600)) >= 4


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("kind", COUNTERS)
def test_counter(kind: str) -> None:
    assert len(check_counter(COUNTERS[kind], steps=STEPS)) >= 7  # without the privacy of those that state no encoder


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("kind", COUNTERS)
def test_counter_at_length(kind: str) -> None:
    assert "keeps it at length" in check_counter(COUNTERS[kind])


@pytest.mark.drawn(3)
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("tracker", TRACKERS, ids=lambda cls: cls.kind)
def test_tracker_of_items(tracker: type[ItemTracker]) -> None:
    parameters = {"alpha": 0.2} | ({"phi": 0.4} if tracker is HeavyHitters else {})
    assert len(check_protocol(tracker(**parameters), sites=(1, 5), items=150)) >= 5


def test_defaults_go_with_the_alpha_that_conformance_takes() -> None:
    for maker in (*PROTOCOLS, *TRACKERS):
        taken = parameters(maker)
        usual = {key: USUAL[key] for key, value in taken.items() if value is MISSING and key in USUAL}
        if all(value is not MISSING or key in usual for key, value in taken.items()):
            maker(**usual)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("stream", STREAMS, ids=lambda cls: cls.kind)
def test_adversary_of_items(stream: type[ItemAdversary]) -> None:
    assert len(check_adversary(stream, sites=(1, 5), items=60)) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("package", sorted({*compared()} - {*CORE}))
def test_a_declared_package(package: str, draw: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of its kinds, drawn anew each day: together they take minutes."""
    known = sorted(packages.kinds_of(package).items())
    some = dict(random.Random(f"{draw} {package}").sample(known, max(3, len(known) // 3)))
    monkeypatch.setattr(packages, "kinds_of", lambda name: some)
    verified = packages.check_package(package)
    assert verified.faults == {}
    assert {*verified.compared, *verified.untested} == {*some}
    assert len(verified.compared) >= max(2, 2 * len(verified.untested))
