"""The reliable link: each payload once and in order, whatever the wires do, as long as not all is lost."""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.simulator.game.network.mail import Incoming, Outgoing
from disttrack.simulator.game.network.model import Link


def carried(
    sent: list[int], loss: float, copies: float, longest: int, seed: int, link: Link
) -> tuple[list[int], int]:
    """Return what is handed on and how many packets went out, over wires that keep no order at all.

    A discrete-event simulation of its own, with nothing of the simulator's but the two halves.
    """
    rng = np.random.default_rng(seed)
    out: Outgoing[int] = Outgoing()
    into: Incoming[int] = Incoming()
    events: list[tuple[int, int, str, int, int]] = []
    order, packets, step, heard = count(), 0, 0, []

    def wires(kind: str, number: int, tries: int) -> None:
        if rng.random() < loss:
            return
        for _ in range(1 + (rng.random() < copies)):
            heapq.heappush(events, (step + int(rng.integers(0, longest + 1)), next(order), kind, number, tries))

    def transmit(number: int, tries: int) -> None:
        nonlocal packets
        packets += 1
        wires("packet", number, tries)
        heapq.heappush(events, (step + link.pause(tries, 2 * longest + 2), next(order), "timeout", number, tries))

    for payload, at in enumerate(sent):
        heapq.heappush(events, (at, next(order), "send", payload, 0))
    while events:
        step, _, kind, number, tries = heapq.heappop(events)
        if kind == "send":
            transmit(out.send(number), 1)
        elif kind == "packet":
            heard += into.receive(number, number)
            wires("ack", number, 0)
        elif kind == "ack":
            out.acknowledged(number)
        elif number in out.unacknowledged:
            transmit(number, tries + 1)
        assert packets < 100_000
    assert not out.unacknowledged
    assert not into.waiting
    return heard, packets


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 50), max_size=40).map(sorted),
    st.floats(0, 0.9),
    st.floats(0, 1),
    st.integers(0, 30),
    st.integers(0, 2**32),
    st.builds(
        Link,
        timeout=st.one_of(st.none(), st.integers(1, 100)),
        backoff=st.floats(1, 4),
        longest=st.one_of(st.none(), st.integers(1, 500)),
    ),
)
def test_each_payload_is_handed_on_once_and_in_order(
    sent: list[int], loss: float, copies: float, longest: int, seed: int, link: Link
) -> None:
    heard, packets = carried(sent, loss, copies, longest, seed, link)
    assert heard == list(range(len(sent)))
    assert packets >= len(sent)
    assert carried(sent, 0.0, 0.0, longest, seed, Link())[1] == len(sent)  # without loss nothing is sent twice
