"""Robust with tight constants: a poll tells the next block size, and what the server makes of the exact count."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.protocols import Robust
from disttrack.protocols.base import EVERYONE, Message
from disttrack.protocols.rounds.constants import CANDIDATES, tight_constants, tight_round


def test_an_estimate_far_off_ends_the_round_at_once() -> None:
    """With a tenth of the items that it was told for, phases have no length: it polls again, with the exact count."""
    protocol = Robust(alpha=0.2, parameters="tight")
    server = protocol.server(256, np.random.default_rng(1), [10**6] * 256)
    ((_, poll),) = server.end_round()
    server.announced = 10 * server.base
    server.counts_to_come = 1
    ((receiver, again),) = server.counted(0)
    assert (receiver, poll.kind) == (EVERYONE, "poll")
    assert again == Message("poll", 256 * 10**6)


@pytest.mark.parametrize(("k", "number"), [(16, 1), (256, 5), (4096, 9)])
def test_the_best_counter_needs_the_fewest_words(k: int, number: int) -> None:
    of = tight_constants(k, 0.05, number, 1 / 16)
    power = number.bit_length() - 1
    failure = 6 * 0.05 / (np.pi**2 * (power + 1) ** 2 * 2**power)
    words = {kind: tight_round(k, failure, 1 / 16, kind).words for kind in (*CANDIDATES, "binary", "hybrid")}
    assert words[of.counter] == min(words.values())
    assert Robust(alpha=1 / 16).constants(k, number).counter == "binary"
