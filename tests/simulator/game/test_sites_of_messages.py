"""Who sent and who heard: each engine's counts by site against its transcript, and forwarding in small chunks."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import numpy as np
import pytest

from disttrack.adversaries import Adversary, Burst, Freeze, Rest, RoundRobin, Runs, SingleSite, Uniform, View
from disttrack.adversaries.schedules import Rotation, Schedule
from disttrack.protocols import Block, Deterministic, Exact, Martingale, Protocol, Randomized, Robust
from disttrack.simulator import play
from disttrack.simulator.errors import MessageError, MoveError
from disttrack.simulator.game import rehearsal
from disttrack.simulator.game.engines import Bulk, Leap, NoBulkError, Step, base, bulk
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network.lag import LagReferee
from disttrack.simulator.game.streams import Watch, streams
from disttrack.simulator.game.verdict import Referee
from tests.simulator.game.network.shipped import protocols


@pytest.mark.parametrize("engine", ["step", "leap", "bulk"])
@pytest.mark.parametrize("adversary", [Uniform(), Freeze(), SingleSite()], ids=lambda one: one.kind)
@pytest.mark.parametrize("protocol", protocols(), ids=lambda one: one.kind)
def test_counts_of_sites_are_those_of_the_transcript(protocol: Protocol, adversary: Adversary, engine: str) -> None:
    try:
        game = play(protocol, adversary, sites=5, items=300, start=10, seed=3, engine=engine, record=True)
    except ValueError as refused:
        assert engine == "bulk" and "bulk can't play" in str(refused)  # noqa: PT018, PT017
        return
    rows = game._transcript or []
    up, down = Counter(row[1] for row in rows if row[2] == "server"), Counter(row[2] for row in rows)
    assert game.messages_of_site == ([up[site] for site in range(5)], [down[site] for site in range(5)])
    assert all(type(number) is int for side in game.messages_of_site for number in side)
    assert (game.messages, game.words, game.bits) == (len(rows), sum(r[4] for r in rows), sum(r[5] for r in rows))
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


class Restless(Adversary):
    """Answers with plans of all kinds, by what it sees and a list of its own."""

    kind: ClassVar[str] = "restless"
    oblivious: ClassVar[bool] = False

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.last: Schedule | None = None

    def plan(self, view: View) -> Schedule | None:
        kind, site = self.rng.integers(9), int(self.rng.integers(view.sites))
        if kind < 5 or not view.steps:
            self.last = Burst(site, int(self.rng.integers(1, 6)))
        elif kind == 5:
            self.last = Rotation(view.sites)
        elif kind == 6:
            self.last = Runs([site, 0], [2, 3])
        elif kind == 7 and view.steps < 10_000:
            return self.last
        else:
            self.last = Burst(0, 1 + int(view.output) % 4)
        return self.last


@pytest.mark.parametrize("chunk", [1, 3, 7, 2**20])
@pytest.mark.parametrize("start", [0, 9])
@pytest.mark.parametrize("protocol", [Robust(0.3), Martingale(0.2), Block(0.1)], ids=lambda one: one.kind)
def test_what_is_forwarded_in_chunks_is_what_is_sent_one_by_one(
    monkeypatch: pytest.MonkeyPatch, protocol: Protocol, start: int, chunk: int
) -> None:
    """So few items are all forwarded, and no coin is tossed: the games are equal in every message."""
    monkeypatch.setattr(bulk, "CHUNK", chunk)
    size: dict[str, Any] = {"sites": 4, "items": 60, "start": start, "record": True}
    for seed in range(4):
        one, other = (play(protocol, Restless(seed), engine=engine, **size) for engine in ("bulk", "leap"))
        assert one._transcript == other._transcript
        assert one._outputs == other._outputs
        assert [turn[:4] for turn in one._turns or []] == [turn[:4] for turn in other._turns or []]
        assert one._timeline == other._timeline
        assert one.messages_of_site == other.messages_of_site


@pytest.mark.parametrize("chunk", [3, 2**20])
def test_the_counts_behind_a_plan_are_those_of_its_sites(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(bulk, "CHUNK", chunk)
    for seed in range(6):
        game = Bulk(Robust(0.3), Restless(seed), sites=4, items=50, record=True)
        game.play()
        sent = Counter(row[1] for row in game.transcript or [])
        assert game.counts(50).tolist() == [sent[site] for site in range(4)]
        assert [game.received(site, 50) for site in range(4)] == [sent[site] for site in range(4)]


# ---------------------------------------------------------------------- edges of engines


@pytest.mark.parametrize("kind", [Step, Leap, Bulk])
def test_nothing_is_kept_unless_asked_for(kind: type[Any]) -> None:
    game = kind(Deterministic(0.1), RoundRobin(), sites=2, items=9)
    assert (game.transcript, game.outputs, game.start, game.k, game.lost, game.restarts) == (None, None, 0, 2, 0, 0)
    kept = kind(Deterministic(0.1), RoundRobin(), sites=2, items=9, record=True)
    assert (kept.transcript, kept.outputs) == ([], [])


class Sleeper(Adversary):
    """Rests for so many plans, and then feeds."""

    kind: ClassVar[str] = "sleeper"
    oblivious: ClassVar[bool] = True

    def __init__(self, plans: int) -> None:
        self.plans = plans

    def plan(self, view: View) -> Schedule | None:
        self.plans -= 1
        return Rest(3) if self.plans >= 0 else Burst(0, 1)


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_patience_has_an_end_that_is_said(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setattr(base, "PATIENCE", 5)
    game = play(Exact(), Sleeper(5), sites=1, items=3, engine=engine)
    assert (game.items, game.steps) == (3, 18)
    with pytest.raises(MoveError) as caught:
        play(Exact(), Sleeper(6), sites=1, items=3, engine=engine)
    assert str(caught.value) == (
        "adversary sleeper: skipped 5 plans in a row up to step 15; return None from plan() to end the game"
    )


class Listener(Freeze):
    """Keeps what it sees of the traffic."""

    kind: ClassVar[str] = "listener"
    sees: ClassVar[Any] = "traffic"

    def plan(self, view: Any) -> Schedule | None:
        heard.extend(view.heard)
        return Burst(0, 5)


heard: list[Any] = []


@pytest.mark.parametrize("network", [None, {"latency": 1}])
@pytest.mark.parametrize("engine", ["step", "leap"])
def test_one_that_may_see_the_traffic_sees_all_of_it(engine: str, network: Any) -> None:
    heard.clear()
    game = play(Exact(), Listener(), sites=2, items=12, engine=engine, network=network, sees="traffic", record=True)
    rows = [row[:4] for row in game._transcript or []]
    assert len(rows) == 12
    assert [tuple(one) for one in heard] == rows[: len(heard)]
    assert len(heard) >= 10


def test_a_bulk_form_that_breaks_its_word_is_named() -> None:
    game = Bulk(Deterministic(0.1), RoundRobin(), sites=2, items=9)
    name = type(game.bulk_form).__name__
    game.done = 4
    for end in (4, 3, 10):
        with pytest.raises(RuntimeError, match=rf"^{name}\.advance\(\) from step 4 to 9 ends at step {end}$"):
            game._check_end("advance", end, 9)
    game._check_end("advance", 5, 9)
    game._check_end("advance", 9, 9)
    segment = bulk.Segment(7, [], np.array([5, 7]), np.array([1, 2]))
    said = rf"^{name}\.until_change\(\) to step 7 changes the output in step 5$"
    with pytest.raises(RuntimeError, match=said):
        game._check_steps(segment)
    with pytest.raises(RuntimeError, match=said):
        game._check_steps(bulk.Segment(7, [], np.array([5]), np.array([1])))
    game._check_steps(bulk.Segment(7, [], np.array([7]), np.array([1])))
    game._check_steps(bulk.Segment(7, [], np.array([], dtype=int), np.array([])))


# ---------------------------------------------------------------------- rehearsals


def test_a_rehearsal_is_played_in_bulk_and_begun_anew_where_that_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from disttrack.adversaries import Replay

    made: list[tuple[str, dict[str, Any]]] = []

    def of(kind: type[Any], fails: bool = False) -> Any:
        def make(protocol: Any, recorder: Any, **options: Any) -> Any:
            made.append((kind.name, options))
            if fails:
                raise NoBulkError("late")
            return kind(protocol, recorder, **options)

        return make

    size: dict[str, Any] = {"sites": 3, "items": 40, "start": 0}
    monkeypatch.setattr(rehearsal, "Leap", of(Leap))
    monkeypatch.setattr(rehearsal, "Bulk", of(Bulk))
    one = rehearsal.rehearse(Replay(of="freeze"), Robust(0.3), 7, **size)
    tree = np.random.SeedSequence(7, spawn_key=(1000,))
    seed = int(tree.generate_state(1, np.uint64)[0]) // 2
    assert made == [("bulk", {**size, "seed": seed})]
    made.clear()
    monkeypatch.setattr(rehearsal, "Bulk", of(Bulk, fails=True))
    other = rehearsal.rehearse(Replay(of="freeze"), Robust(0.3), 7, **size)
    assert made == [("bulk", {**size, "seed": seed}), ("leap", {**size, "seed": seed})]
    assert isinstance(one, Replay)
    assert isinstance(other, Replay)
    made.clear()
    rehearsal.rehearse(Replay(of={"kind": "freeze"}), Randomized(0.3), 7, **size, network=None)
    assert made[-1][1]["network"] is None


# ---------------------------------------------------------------------- small ones


def test_one_word_is_one_word_in_any_type() -> None:
    from disttrack.protocols.base import Message

    ledger = Ledger(1, 7)
    ledger.count_up(0, Message("m", 1, np.int64(1)))  # type: ignore[arg-type]
    assert ledger.words == 1
    with pytest.raises(MessageError):
        ledger.count_up(0, Message("m", 1, np.int64(0)))  # type: ignore[arg-type]


def test_a_watch_that_has_seen_a_draw_goes_on_knowing() -> None:
    watch = Watch()
    first = streams(1)
    watch.add(first.values())
    assert not watch.drawn
    first["sites"].random()
    watch.add(streams(2).values())
    assert watch.drawn
    watch.add(streams(3).values())
    assert watch.drawn
    idle = Watch()
    early = streams(1)
    for seed in (2, 3):
        idle.add(early.values() if seed == 2 else streams(seed).values())
    assert not idle.drawn
    early["server"].random()  # of the first ones, later on
    assert idle.drawn


def test_what_stands_before_the_first_step_is_judged_from_that_step_on() -> None:
    referee = LagReferee(0.1, 0, 5)
    referee.close(2, lambda step: step, lambda n: n)
    assert (referee.failing_steps, referee.first_failure, referee.first_failing_step) == (2, 1, 1)
    assert (referee.max_error, referee.max_lag, referee.verdict()) == (4.0, 0, "failed")
    started = LagReferee(0.1, 0, 12)
    started.close(1, lambda step: 10 + step, lambda n: n - 10)
    assert (started.max_error, started.failing_steps) == (1 / 11, 0)


def test_where_nothing_failed_there_is_no_first_failure() -> None:
    referee = Referee(0.1, 10, 10)
    referee.close(1, 11)
    assert (referee.first_failure, referee.first_failing_step, referee.failing_steps) == (None, None, 0)
    assert (referee.changes, referee.verdict()) == (0, "ok")
    assert referee.highest == referee.lowest == -1 / 11
    assert Referee(0.1, 0, 0).lowest == 0


def test_a_negative_output_is_worst_where_it_begins() -> None:
    """|-3 - N| / N from the first item to the tenth: 4 at first, 1.3 in the end."""
    referee = Referee(0.1, 0, 0)
    referee.change(1, 1, 0, -3)
    referee.close(10, 10)
    assert (referee.max_rel_error, referee.lowest, referee.highest) == (4.0, -4.0, -1.3)
    assert (referee.failing_steps, referee.first_failure) == (10, 1)


@pytest.mark.parametrize("many", [False, True])
def test_the_state_before_the_first_step_is_not_judged(many: bool) -> None:
    """Neither by the verdict nor by the error: 200 for 100 items is over when the first step ends."""
    referee = Referee(0.1, 100, 200)
    if many:
        referee.change_many(np.array([1]), 100, np.array([101]))
    else:
        referee.change(1, 101, 100, 101)
    referee.close(3, 103)
    assert (referee.verdict(), referee.max_rel_error, referee.highest) == ("ok", 2 / 103, 0.0)
    standing = Referee(0.1, 100, 200)
    standing.close(3, 103)
    assert (standing.verdict(), standing.max_rel_error, standing.failing_steps) == ("failed", 99 / 101, 3)
