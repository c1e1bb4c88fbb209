"""The tight constants of robust: what is hidden, the best counter, and polls that tell the next block size."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from disttrack.protocols import Robust
from disttrack.protocols.base import EVERYONE, Message
from disttrack.protocols.rounds.constants import CANDIDATES, NO_PRIVACY, tight_constants, tight_round


def test_a_hundred_sites_need_nothing_hidden_and_a_thousand_do() -> None:
    assert tight_round(64, 1e-4, 1 / 8, "binary").loss == NO_PRIVACY
    assert tight_round(1024, 1e-4, 1 / 32, "binary").loss < 1


@pytest.mark.parametrize(("number", "most"), [(1, 74), (32, 130), (1000, 178)])
def test_up_to_how_many_sites_nothing_is_hidden(number: int, most: int) -> None:
    """At alpha = 1 / sqrt k, delta = 0.05, by docs/proofs.md: later rounds may fail less, so privacy costs more."""

    def hidden(k: int) -> bool:
        return tight_constants(k, 0.05, number, 1 / sqrt(k), "binary").epsilon < 2 * NO_PRIVACY

    assert [hidden(k) for k in (64, most - 20, most, most + 1, most + 30, 1024)] == [False] * 3 + [True] * 3


def test_an_estimate_far_off_ends_the_round_at_once() -> None:
    """A round with a tenth of the expected items has phases of length 0: the server polls again, with the count."""
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
