"""Deterministic trackers against figures worked out by hand or by the definition alone."""

from __future__ import annotations

import pytest

from adversaries import RoundRobin, SingleSite
from protocols import Deterministic, DeterministicRounds
from simulator import play

# Reports of one site after n items, by the definition in exact arithmetic (papers, section 2.1).
STRICT = {
    (0.1, 10**3): 53,
    (0.1, 10**5): 101,
    (0.1, 10**6): 125,
    (0.01, 10**3): 293,
    (0.01, 10**5): 751,
    (0.01, 10**6): 982,
}
CENTRED = {
    (0.1, 10**3): 29,
    (0.1, 10**5): 52,
    (0.1, 10**6): 63,
    (0.01, 10**3): 179,
    (0.01, 10**5): 408,
    (0.01, 10**6): 524,
}


@pytest.mark.parametrize(("alpha", "items"), STRICT)
def test_reports_of_one_site(alpha: float, items: int) -> None:
    game = play(Deterministic(alpha=alpha), SingleSite(), sites=1, items=items)
    assert game.messages == STRICT[alpha, items]
    assert game.ok
    assert game.highest == 0  # it never says too much


@pytest.mark.parametrize(("alpha", "items"), CENTRED)
def test_reports_of_one_centred_site(alpha: float, items: int) -> None:
    game = play(Deterministic(alpha=alpha, centred=True), SingleSite(), sites=1, items=items)
    assert game.messages == CENTRED[alpha, items]
    assert game.ok
    assert game.highest == pytest.approx(alpha)  # just after the first report: (1 + alpha) · 1 for one item


def test_the_first_reports_by_hand() -> None:
    """alpha = 1/2: thresholds 1, then floor(1.5 t) + 1, that is 1, 2, 4, 7, 11, 17, 26, 40: the outputs too."""
    game = play(Deterministic(alpha=0.5), SingleSite(), sites=1, items=40, record=True)
    assert game.outputs["step"].tolist() == [1, 2, 4, 7, 11, 17, 26, 40]
    assert game.outputs["output"].tolist() == [1, 2, 4, 7, 11, 17, 26, 40]
    # just before a report it lacks 1 of 3 items, 2 of 6, 3 of 10, 5 of 16, 8 of 25, 13 of 39
    assert game.lowest == pytest.approx(-1 / 3)


def test_the_first_centred_reports_by_hand() -> None:
    """alpha = 1/2: the next n with n/2 > 3m/2 is 3m + 1: 1, 4, 13, 40; the output is 3/2 of the last of them."""
    game = play(Deterministic(alpha=0.5, centred=True), SingleSite(), sites=1, items=50, record=True)
    assert game.outputs["step"].tolist() == [1, 4, 13, 40]
    assert [float(output) for output in game.outputs["output"]] == [1.5, 6, 19.5, 60]
    assert game.ok
    assert game.highest == 0.5
    assert game.lowest == -0.5  # at 39 items the output is 19.5


def test_rounds_of_global_increments_by_hand() -> None:
    """k = 2, alpha = 1/2, in turn. Items 1 … 4 are forwarded; at M = 4 the increment is q = 0.5 · 4 / 2 = 1.

    Each item is then a bit, until the fourth makes the output 8 = 2 M: poll, and M = 8, q = 2. Sites signal at
    every second item of theirs: the items 11, 12, 15, 16 of all, and the output is 16 = 2 M: poll, M = 16, q = 4.
    """
    game = play(DeterministicRounds(alpha=0.5), RoundRobin(), sites=2, items=16, record=True)
    outputs = dict(zip(game.outputs["step"], game.outputs["output"], strict=True))
    assert outputs == {step: step for step in range(1, 9)} | {11: 10, 12: 12, 15: 14, 16: 16}
    assert game.rounds == 3
    by_kind = {row.kind: row.messages for row in game.kinds.itertuples()}
    assert by_kind == {"item": 4, "round": 2 * 3, "bit": 4 + 4, "poll": 2 * 2, "count": 2 * 2}
    assert game.lowest == pytest.approx(-2 / 10)  # the worst step is 10: the output is still 8


@pytest.mark.slow
def test_a_thousand_sites_thirty_million_items() -> None:
    """k = 1000, alpha = 0.05, in turn: 30,000 items a site are 160 reports each, so 160,000 words.

    The largest error is 1/21: a site that has reported 20 reports again at 22 only, so the lag is 1 in 21, for all
    sites at once at the end of a turn; later thresholds lag by at most alpha/(1 + alpha) = 1/21 as well.
    """
    reports, threshold = 0, 1
    while threshold <= 30_000:
        reports, threshold = reports + 1, threshold * 21 // 20 + 1
    assert reports == 160
    game = play(Deterministic(alpha=0.05), RoundRobin(), sites=1000, items=30_000_000)
    assert game.words == game.messages == 160_000
    assert game.max_rel_error == pytest.approx(1 / 21, abs=1e-15)
    assert game.highest == 0
