"""What a network may be like: each key, each refusal with its whole line, and how much work it foresees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from math import nan
from typing import Any

import pytest

from disttrack.protocols import Deterministic, Exact, Robust
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.network.faults import Crash, Partition, Restart
from disttrack.simulator.game.network.model import (
    Latency,
    Link,
    Network,
    checked_network,
    network_of,
)


def line_of(make: Any, *args: Any, **keys: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        make(*args, **keys)
    return str(caught.value)


# ---------------------------------------------------------------------- sites


# ---------------------------------------------------------------------- faults


# ---------------------------------------------------------------------- from keys


def test_what_a_network_is() -> None:
    now = Latency(constant=0)
    assert Network().instant
    assert Network(latency_down=now, far=("0", now)).instant
    later = Latency(constant=1)
    for one in (Network(later), Network(latency_down=later), Network(far=("0", later)), Network(warm_up=1)):
        assert not one.instant
        assert not one.faulty
    for key in ("loss", "duplication", "reordering"):
        assert Network(**{key: 0.1}).faulty
    stops = (Network(crash=Crash(1, 1)), Network(server=Restart(1, 1)))
    for one in (Network(partition=Partition(1, 1)), Network(link=Link()), *stops):
        assert one.faulty
        assert not one.instant
        assert one.stops == (one in stops)
    never = Network(crash=Crash(1, rate=0), server=Restart(1, rate=0))
    assert (never.stops, never.faulty, never.instant) == (False, False, True)


STOP: dict[str, Any] = {"down": 5, "at": 7, "rate": None, "state": "lost", "sites": 1, "readmit": True, "checkpoint": 3}
WHOLE: dict[str, Any] = {
    **{one.name: 0.5 for one in fields(Network)},
    "latency": {"constant": 3},
    "latency_down": {"uniform": {"from": 1, "to": 3}},
    "warm_up": 3,
    "faults": "",
    "far": {"sites": 1, "latency": {"lognormal": {"median": 1, "sigma": 3}}},
    "partition": {"from": 3, "to": 5, "sites": 1},
    "crash": {name: STOP[name] for name in ("down", "at", "rate", "state", "sites", "readmit")},
    "server": {name: STOP[name] for name in ("down", "at", "rate", "state", "checkpoint")},
    "link": {"timeout": 3, "backoff": 2, "longest": 9},
}


def with_another(given: dict[str, Any], value: object) -> Iterator[dict[str, Any]]:
    """Yield a mapping with another value for each of its keys, one at a time, and for each of those inside."""
    for key, old in given.items():
        yield {**given, key: value}
        yield from ({**given, key: one} for one in with_another(old, value)) if isinstance(old, dict) else ()


@pytest.mark.parametrize(
    "value", [["reliable"], [], {"a": 1}, {}, None, "x", "", -1, 0.5, 10**30, nan, True, False, (1, 2)], ids=repr
)
def test_a_value_of_another_type_is_refused_in_a_line_by_each_key(value: object) -> None:
    """Seen: lists for `faults` and `link` ended with `unhashable type`."""
    assert network_of(WHOLE)
    taken = []
    for network in with_another(WHOLE, value):
        with suppress(ValueError):  # and no other error
            network_of(network)
            taken.append(network)
    assert not taken or not isinstance(value, list | tuple)


class _NoRule(Exact):
    """A protocol by which no site comes back."""

    readmission = "none"
    kind = ""


def test_networks_that_a_protocol_or_its_sites_do_not_bear() -> None:
    for keys in ({"partition": {"from": 1, "to": 1, "sites": 4}}, {"crash": {"down": 1, "at": 1, "sites": 4}},
                 {"far": {"sites": 4, "latency": 1}}):  # fmt: skip
        (key,) = keys
        assert line_of(checked_network, keys, 4, Exact()) == f"{key}: sites: this game has sites 0 … 3; got 4"
        assert checked_network(keys, 5, Exact()) == network_of(keys)
    assert checked_network(None, 4, Exact()) is None
    rule = "has no readmission"
    lost: dict[str, Any] = {"down": 1, "at": 1, "state": "lost"}
    for name in ("crash", "server"):
        message = f"{name}: state must be kept: _NoRule {rule}"
        assert line_of(checked_network, {name: lost}, 4, _NoRule()) == message
        assert checked_network({name: lost}, 4, Exact())
        assert checked_network({name: {**lost, "state": "kept"}}, 4, _NoRule())
    assert checked_network({"crash": {**lost, "readmit": False}}, 4, _NoRule())
    named = _NoRule()
    object.__setattr__(named, "kind", "mine")
    assert line_of(checked_network, {"crash": lost}, 4, named) == f"crash: state must be kept: mine {rule}"


ONE: dict[str, Any] = {"down": 5, "at": 7, "state": "lost"}


@pytest.mark.parametrize(
    ("network", "protocol", "expected"),
    [
        ({}, Exact(), 100),
        ({"latency": 3, "loss": 0.5}, Exact(), 100),
        ({"crash": {**ONE, "state": "kept"}}, Exact(), 100),
        ({"crash": ONE}, Deterministic(0.1), 100 + 4 * 1),  # each of four sites tells its items once
        ({"crash": ONE}, Robust(alpha=0.1), 100 + 4 * 13),  # or all are asked, answer, and hear of it, each time
        ({"server": ONE}, Deterministic(0.1), 100 + 13),
        ({"server": ONE}, Robust(alpha=0.1), 100 + 13),
        ({"server": {**ONE, "at": None, "rate": 0.1}}, Robust(alpha=0.1), 100 + 1000 * 0.1 / 1.5 * 13),
        ({"crash": {**ONE, "at": None, "rate": 0.2}}, Deterministic(0.1), 100 + 4 * 1000 * 0.2 / 2),
        ({"crash": {**ONE, "at": None, "rate": 0.0}}, Robust(alpha=0.1), 100),
        ({"crash": ONE, "server": ONE}, Deterministic(0.1), 100 + 4 + 13),
        ({"link": "reliable"}, Exact(), 200),  # each with its acknowledgement
        ({"link": "reliable", "loss": 0.5}, Exact(), 600),  # sent four times, acknowledged half as often
        ({"link": "reliable", "server": ONE}, Exact(), 226),
    ],
)
def test_the_messages_that_are_foreseen(network: dict[str, Any], protocol: Protocol, expected: float) -> None:
    made = network_of(network)
    assert made is not None
    assert made.messages(100, 4, 1000, protocol) == pytest.approx(expected)
