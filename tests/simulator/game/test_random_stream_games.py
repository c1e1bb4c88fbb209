"""Games on random streams beyond the labels: one game by `step`, `leap` and `compiled`, one stream for all trackers.

Most games are played by the functions as they are written: compiled, they give the same numbers, as other tests show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_compiled import TRACKERS, plans_of, same

from disttrack.adversaries import Adversary, Labels, Uniform, View, Zipf, oblivious, random_streams
from disttrack.adversaries.random_streams import RandomStream
from disttrack.protocols import Deterministic, Exact, Martingale, Randomized
from disttrack.simulator import play
from disttrack.simulator.game.engines.alarms import Agenda
from disttrack.simulator.game.streams import streams

SWITCH = 64
STREAMS: list[Adversary] = [Uniform(), Zipf(), Zipf(exponent=4.0)]


@pytest.fixture(autouse=True)
def small_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few labels, in plans that follow each other: for many sites as a list, for others as a countdown."""
    monkeypatch.setattr(random_streams, "switch", lambda sites: SWITCH)
    monkeypatch.setattr(oblivious, "CHUNK", 20)
    monkeypatch.setattr(random_streams, "available", lambda: False)


def test_horizons_are_set_anew_in_all_ways(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """After messages of the server, at the end of one, and nearer where too many sites would send messages."""
    happened, look_on = Counter[str](), Agenda.look_on

    def counted(agenda: Agenda, now: int, size: int) -> None:
        fresh = agenda.fresh
        look_on(agenda, now, size)
        happened["after the server" if fresh else "at the end"] += 1
        happened["nearer"] += agenda.size < size
        happened["no message"] += not agenda.steps

    monkeypatch.setattr(Agenda, "look_on", counted)
    for protocol in (Deterministic(alpha=0.05), Randomized(alpha=0.1), Martingale(alpha=0.1)):
        same(protocol, Uniform(), sites=20, items=1500, seed=1)
    assert min(happened.values()) > 0, happened
    assert len(happened) == 4


def test_a_stream_may_follow_and_be_cut_off_by_other_plans(uncompiled: None) -> None:
    """In a generator that also reacts to the output, and in one that ends a stream after a while."""
    happened = Counter[str]()

    def mixed(view: View) -> Iterator[Any]:
        others, seed = plans_of(3, Counter())(view), 0
        yield next(others)
        while True:
            seed += 1
            weights = np.random.default_rng(seed).integers(0, 5, view.sites) + 1
            changes = view.changes
            view = yield RandomStream(seed, weights, 32, 32 + view.steps % 50)
            happened["the output changed"] += view.changes > changes
            while view.changes < changes + 3 and view.steps < 350:
                view = yield None
                happened["goes on"] += 1
            view = yield Labels([0, view.sites - 1, 0])

    for number, protocol in enumerate(TRACKERS[::3]):
        same(protocol, mixed, sites=2 + number, items=400, seed=number)
    assert min(happened["the output changed"], happened["goes on"]) > 20


@pytest.mark.parametrize("adversary", STREAMS, ids=str)
def test_all_trackers_are_fed_the_same_stream(adversary: Any) -> None:
    """The one of the seed: `exact` reports each item, and each message of another tracker is of the site fed then."""
    sites, items, seed = 6, 400, 5
    view = View(sites=sites, items=items, rng=streams(seed)["adversary"])
    fed: list[int] = []
    while len(fed) < items:
        view.stand(len(fed), len(fed), 0, 0, 0)
        plan = adversary.plan(view)
        fed += [plan.at(step) for step in range(1, min(plan.length, items - len(fed)) + 1)]
    spoke = 0
    for protocol in (Exact(), Deterministic(alpha=0.05), Randomized(alpha=0.05)):
        rows = play(protocol, adversary, sites=sites, items=items, seed=seed, engine="leap", record=True).transcript
        first = rows[rows["sender"] != "server"].drop_duplicates("step")
        assert [fed[step - 1] for step in first["step"]] == first["sender"].tolist()
        spoke += len(first)
    assert spoke > items + 100


@pytest.mark.slow
def test_a_long_game_as_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the real switch after four million labels, with numba."""
    monkeypatch.undo()
    monkeypatch.setattr(random_streams, "LABELS", 2**20)
    game = same(Deterministic(alpha=0.2), Uniform(), sites=50, items=10**10, seed=1)
    assert game.messages > 3000
