"""Private copies: the median, the budget, and what the framework cannot hide here."""

from __future__ import annotations

from math import ceil, log, sqrt

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import PrivateCopies, SketchSwitching
from disttrack.simulator import play


def test_budget_by_hand() -> None:
    """alpha = 0.1, up to a million: lambda = 285; epsilon = 1 leaves 1 / sqrt(8 · 285 · ln 20) = 0.0121 a change."""
    protocol = PrivateCopies(alpha=0.1, epsilon=1.0, largest=1e6)
    assert protocol.changes() == 285
    assert SketchSwitching(alpha=0.9, largest=103).changes() == 14  # (ln 1.1125 + ln 103) / ln 1.45 = 12.8, and one
    assert protocol.loss() == pytest.approx(1 / sqrt(8 * 285 * log(20)), rel=1e-12)
    # 8 ln(2 · 2^20 · 285 / 0.05) / 0.35 over the loss
    assert protocol.copies() == ceil(8 * log(2**21 * 285 / 0.05) / 0.35 / protocol.loss()) == 43_834


def test_whoever_watches_knows_that_the_site_fed_last_has_sent() -> None:
    """The framework's failure: at each change of the output a report came from the very site that was fed."""
    game = play(PrivateCopies(alpha=0.3), RoundRobin(), sites=7, items=15_000, seed=2, record=True)
    table = game.transcript
    reports = set(zip(*(table.loc[table["kind"] == "report", key] for key in ("step", "sender")), strict=True))
    changes = [step for step in game.outputs["step"] if step > 0]
    assert len(changes) > 30
    assert all((step, (step - 1) % 7) in reports for step in changes)
    silent = set(range(1, 15_001)) - {step for step, _ in reports}
    assert len(silent) > 1000  # so it tells something: there are many steps without a report
    assert PrivateCopies(alpha=0.3).guarantee == "none"


def test_stops_after_the_changes_provided_for() -> None:
    game = play(PrivateCopies(alpha=0.3, largest=100), RoundRobin(), sites=3, items=5000, seed=0)
    assert game.output_changes <= PrivateCopies(alpha=0.3, largest=100).changes()
    assert not game.ok
