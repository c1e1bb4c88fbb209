"""Sketch switching: how many copies, each shown once, and what that costs."""

from __future__ import annotations

from math import log

import pytest

from disttrack.adversaries import Adversary, Drain, Freeze, RoundRobin
from disttrack.protocols import SketchSwitching
from disttrack.simulator import play


def test_number_of_copies_by_hand() -> None:
    """alpha = 0.1, a million items: (ln 1.0125 + ln 1e6) / ln 1.05 = 283.4, so 284 changes and one to be sure."""
    assert SketchSwitching(0.1, largest=1e6).changes() == 285
    assert SketchSwitching(0.1, largest=1e6).changes(10**5) == 49  # (0.0124 + ln 10) / 0.04879 = 47.4
    assert SketchSwitching(alpha=0.1, largest=1e6).copies() == 285


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze(), Drain()], ids=lambda one: one.kind)
def test_each_copy_is_seen_once(adversary: Adversary) -> None:
    """Changes stay below ln((1 + alpha/8) N) / ln(1 + alpha/2) + 1, and each is a growth by 1 + alpha/2 at least."""
    protocol = SketchSwitching(alpha=0.3, largest=20_000)
    game = play(protocol, adversary, sites=9, items=20_000, seed=4, record=True)
    assert game.ok
    outputs = game.outputs["output"].to_numpy()
    outputs = outputs[outputs > 0]
    assert (outputs[1:] >= 1.15 * outputs[:-1]).all()
    assert len(outputs) <= log((1 + 0.3 / 8) * 20_000) / log(1.15) + 1
    assert len(outputs) <= protocol.copies()
