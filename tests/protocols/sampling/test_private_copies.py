"""Private copies: the median, the budget, and what the framework cannot hide here."""

from __future__ import annotations

from disttrack.adversaries import RoundRobin
from disttrack.protocols import PrivateCopies
from disttrack.simulator import play


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
