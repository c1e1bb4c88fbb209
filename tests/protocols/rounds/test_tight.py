"""The tight constants: the constraint is met term by term, the minimum is one, and the bounds that it uses are true."""

from __future__ import annotations

from math import sqrt

import pytest

from disttrack.protocols.rounds.constants import NO_PRIVACY, tight_constants, tight_round


def test_a_hundred_sites_need_nothing_hidden_and_a_thousand_do() -> None:
    assert tight_round(64, 1e-4, 1 / 8, "binary").loss == NO_PRIVACY
    assert tight_round(1024, 1e-4, 1 / 32, "binary").loss < 1


@pytest.mark.parametrize(("number", "most"), [(1, 74), (32, 130), (1000, 178)])
def test_up_to_how_many_sites_nothing_is_hidden(number: int, most: int) -> None:
    """At alpha = 1 / sqrt k, delta = 0.05, by docs/proofs.md: later rounds may fail less, so privacy costs more."""

    def hidden(k: int) -> bool:
        return tight_constants(k, 0.05, number, 1 / sqrt(k), "binary").epsilon < 2 * NO_PRIVACY

    assert [hidden(k) for k in (64, most - 20, most, most + 1, most + 30, 1024)] == [False] * 3 + [True] * 3
