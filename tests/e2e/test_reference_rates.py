"""The claims of the shipped scenarios hold under any seed: none misses its bound by chance too often."""

from __future__ import annotations

from collections import defaultdict

from replay_reference import REFERENCE, recorded

from disttrack.simulator.experiments.claims.false_alarm import ALLOWED, rate_of_several
from disttrack.simulator.experiments.results.stored import text_rows

LEAST = 20
"""Smallest number of reference results of the core with rates; older ones have none."""


def rates(name: str) -> dict[tuple[str, str, str], float | None]:
    """Return the false-alarm rate of each claim of a scenario, over all its groups; nothing without the column."""
    listed: dict[tuple[str, str, str], list[float | None]] = defaultdict(list)
    for row in text_rows(REFERENCE / name / "claims.csv"):
        if "false_alarm" in row:
            rate = float(row["false_alarm"]) if row["false_alarm"] else None
            listed[row["name"], row["where"], row["measure"]].append(rate)
    return {claim: rate_of_several(mine) for claim, mine in listed.items()}


def test_no_claim_misses_its_bound_by_chance_more_often_than_allowed() -> None:
    stated = {name: mine for name in recorded() if (mine := rates(name))}
    assert len(stated) >= LEAST
    often = {
        f"{name}: {claim}": rate
        for name, mine in stated.items()
        for (claim, _, _), rate in mine.items()
        if rate is None or rate > ALLOWED
    }
    assert not often
