"""Games that repeat another one are counted once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.expressions import measure as measured
from disttrack.simulator.experiments.claims.findings import Finding, findings_of
from disttrack.simulator.game.columns import COINLESS, GAME


def result(table: Any, **keys: Any) -> list[Finding]:
    return findings_of([Claim(**{"name": "c", "measure": "fraction(ok)", "at_least": 0.1, **keys})], table)


MEASURES = [
    "fraction(ok)", "mean(x)", "median(x)", "quantile(x, 0.8)", "max(x)", "min(x)", "total(x) / games()",
    "slope(x, sites)", "mean(x, where=(sites == 1)) / mean(x, where=(sites > 1))",
]  # fmt: skip


@pytest.mark.parametrize("text", MEASURES)
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_the_value_of_a_claim_is_that_of_the_rows_of_the_table(text: str, data: st.DataObject) -> None:
    """Whatever games repeat each other, who recomputes a claim from trials.csv finds its value."""
    trials = data.draw(st.integers(2, 5))
    points = [
        data.draw(st.sampled_from(["tossed", "coinless", "as before"])) for _ in range(data.draw(st.integers(2, 5)))
    ]
    x, game, coinless = [], [], []
    for point, kind in enumerate(points):
        if kind == "as before" and point:
            x, game, coinless = x + x[-trials:], game + game[-trials:], coinless + coinless[-trials:]
            continue
        numbers = st.floats(0.5, 9)
        values = [data.draw(numbers)] * trials if kind == "coinless" else [data.draw(numbers) for _ in range(trials)]
        x += values
        game += [point * trials + (0 if kind == "coinless" else trial) for trial in range(trials)]
        coinless += [kind == "coinless"] * trials
    table = {"x": np.array(x), "ok": np.array(x) > 4, "sites": 1.0 + np.arange(len(x)) // trials}
    table |= {"point": table["sites"], "trial": np.arange(len(x)) % trials}
    (finding,) = result({**table, GAME: np.array(game), COINLESS: np.array(coinless)}, measure=text, at_least=0.1)
    expected = measured(text, table).value
    assert finding.value == pytest.approx(expected)
    assert (finding.games, finding.played) == (len(set(game)), len(x))
    if finding.low is not None and finding.high is not None:
        assert finding.low <= expected + 1e-9 * abs(expected) + 1e-9
        assert finding.high >= expected - 1e-9 * abs(expected) - 1e-9


def test_games_without_coins_do_not_narrow_the_interval() -> None:
    """The mean of ten games and of one that was played ten times moves half as much as that of the ten."""
    x, known = np.random.default_rng(7).normal(5, 1, 10), np.full(10, 3.0)
    table = {"x": np.append(x, known), "point": np.repeat([0, 1], 10), "trial": np.tile(np.arange(10), 2)}
    table |= {"ok": np.append(np.arange(10) < 8, known > 0), GAME: np.append(np.arange(10), np.full(10, 10))}
    table |= {COINLESS: np.append(np.zeros(10, dtype=bool), np.ones(10, dtype=bool))}
    (both,), (alone,) = result(table, measure="mean(x)"), result(table, measure="mean(x)", where="point == 0")
    assert None not in (both.high, both.low, alone.high, alone.low)
    assert both.high - both.low == pytest.approx((alone.high - alone.low) / 2, rel=0.1)  # type: ignore[operator]
    (both,), (alone,) = result(table), result(table, where="point == 0")
    assert (both.low, both.high) == pytest.approx(((10 + 10 * alone.low) / 20, (10 + 10 * alone.high) / 20))  # type: ignore[operator]
    (fixed,) = result(table, measure="mean(x)", where="point == 1")
    assert (fixed.games, fixed.low, fixed.high) == (1, None, None)
