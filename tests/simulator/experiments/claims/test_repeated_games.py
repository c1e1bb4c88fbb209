"""Games that repeat another one are counted once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.findings import Finding, findings_of
from disttrack.simulator.game.columns import COINLESS, GAME

TABLE = {
    "point": np.array([0.0, 0, 1, 1]),
    "trial": np.array([0.0, 1, 0, 1]),
    "protocol": np.array(["a", "a", "b", "b"]),
    "sites": np.array([2.0, 2, 4, 4]),
    "ok": np.array([True, True, True, False]),
    "words": np.array([1.0, 2, 3, 4]),
}
SAME = {
    **{name: np.repeat(column[:2], 10) for name, column in TABLE.items()},
    "trial": np.arange(20.0) % 10,
    "ok": np.ones(20, dtype=bool),
    "point": np.repeat([0.0, 1.0], 10),
    "sites": np.repeat([2.0, 4.0], 10),
    GAME: np.repeat([0, 1], 10),
    COINLESS: np.ones(20, dtype=bool),
}


def result(table: Any, **keys: Any) -> list[Finding]:
    return findings_of([Claim(**{"name": "c", "measure": "fraction(ok)", "at_least": 0.1, **keys})], table)


def test_games_without_coins_are_counted_once() -> None:
    (finding,) = result(SAME)
    assert (finding.games, finding.played) == (2, 20)
    assert (finding.low, finding.high) == (pytest.approx(0.1581, abs=1e-4), 1.0)  # 2 of 2, by Clopper and Pearson
    assert finding.false_alarm == 0.0  # another seed gives the same games
    unknown = {name: column for name, column in SAME.items() if name not in (GAME, COINLESS)}
    (control,) = result(unknown)
    assert (control.games, control.low) == (20, pytest.approx(0.8316, abs=1e-4))


@pytest.mark.parametrize(
    "measure", ["mean(words)", "max(words)", "median(words)", "fraction(ok)", "slope(words, sites)"]
)
def test_what_has_no_coins_has_no_false_alarm(measure: str) -> None:
    (finding,) = result(SAME, measure=measure, at_least=0.5)
    assert (finding.verdict, finding.false_alarm) == ("PASS", 0.0)
    (missed,) = result(SAME, measure=measure.replace("ok", "not ok"), at_least=1 if "ok" in measure else 5)
    assert (missed.verdict, missed.false_alarm) == ("FAIL", None)


def test_a_game_without_coins_beyond_the_bound_is_there_in_every_run() -> None:
    table = {"words": np.array([9.0, 1, 2]), "point": np.array([0.0, 1, 1]), COINLESS: np.array([True, False, False])}
    (finding,) = findings_of([Claim(name="c", measure="max(words)", at_most=5)], {**table, GAME: np.arange(3)})
    assert (finding.verdict, finding.false_alarm) == ("FAIL", None)
