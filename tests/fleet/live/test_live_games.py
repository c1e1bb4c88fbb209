"""Games in real processes, beside the simulator's: the same messages where no coin is tossed, and the same verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from disttrack.adversaries import Freeze, RoundRobin, SingleSite
from disttrack.fleet import quotas as by
from disttrack.fleet.live.timed import Host
from disttrack.fleet.loads import Autoscaling, ChurnOfSites, FlashCrowd, Greedy, Probing, Retrying
from disttrack.fleet.task import measured
from disttrack.protocols import Deterministic, DeterministicRounds, Exact, Martingale, Protocol, Randomized
from disttrack.protocols.thresholds.alarms import Batch, Countdown
from disttrack.simulator import play
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import hosted

CERTAIN = (
    Deterministic(alpha=0.1), Deterministic(alpha=0.3, centred=True), Exact(),
    DeterministicRounds(alpha=0.2), Countdown(threshold=600, epsilon=0.05), Batch(threshold=600, epsilon=0.1),
)  # fmt: skip
RULE = {"limit": 60, "window": 150}
QUOTAS = (
    by.BatchQuota(**RULE, size=5), by.Central(**RULE), by.CountdownQuota(**RULE), by.Gossip(**RULE, every=20),
    by.Lease(**RULE, low=0.2), by.PeriodicQuota(**RULE, every=30), by.Split(**RULE), by.WeightedSplit(**RULE),
    by.FairLease(**RULE), by.HybridQuota(**RULE),
    by.CountdownQuota(**RULE, costs="1 4 2", reserve=2, settle=7, skew=20),
    by.SlidingLease(**RULE, slots=10, costs="1 4 2", reserve=2, settle=7), by.BucketLease(**RULE, slots=10, depth=60),
    by.PeriodicQuota(**RULE, every=30, shape="sliding"), by.Central(**RULE, shape="bucket", depth=60, slots=10),
    by.Central(**RULE, shape="weighted", slots=10, charge="asked"), by.Central(**RULE, away="share", timeout=9),
    by.CountdownQuota(**RULE, limits="150/450"),
)  # fmt: skip


def live(protocol: Protocol, adversary: Any, host: Host | None = None, **options: Any) -> Game:
    """Play a game in processes of its own."""
    with hosted(host or Host()):
        return play(protocol, adversary, record=True, **options)


def by_step(game: Game) -> Counter[tuple[Any, ...]]:
    """Return the transcript without the order within a step, in which the answers of many sites come as they come."""
    return Counter(game.transcript.itertuples(index=False, name=None))


def same(game: Game, other: Game) -> None:
    """Check that two games are the same, but for the order within a step."""
    assert by_step(game) == by_step(other)
    assert game.outputs.astype(float).equals(other.outputs.astype(float))
    names = "verdict words bits broadcasts items steps rounds max_rel_error failing_fraction"
    for name in names.split():
        assert getattr(game, name) == getattr(other, name), name
    assert game.series.equals(other.series)


USUAL = (4, 700, 0)
"""Sites, items and start."""


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    ("protocol", "adversary", "sizes"),
    [
        *((one, load, USUAL) for one, load in zip(CERTAIN, (RoundRobin, Freeze) * 3, strict=True)),
        *((CERTAIN[0], load, USUAL) for load in (SingleSite, Freeze)),
        *((CERTAIN[0], RoundRobin, sizes) for sizes in ((1, 1, 0), (3, 0, 0), (2, 50, 99))),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_a_protocol_without_coins_sends_the_messages_of_the_simulator(
    protocol: Protocol, adversary: Callable[[], Any], sizes: tuple[int, int, int]
) -> None:
    size = dict(zip(("sites", "items", "start"), sizes, strict=True))
    same(live(protocol, adversary(), **size), play(protocol, adversary(), engine="step", record=True, **size))


@pytest.mark.drawn(6)
@pytest.mark.parametrize(
    ("protocol", "load"),
    [
        *((protocol, ChurnOfSites) for protocol in QUOTAS),
        *((QUOTAS[5], load) for load in (Greedy, RoundRobin, Probing, FlashCrowd, Autoscaling, Retrying)),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_a_quota_sends_the_messages_of_the_simulator_and_has_the_same_measures(
    protocol: Protocol, load: Callable[[], Any]
) -> None:
    """Seen: utilisation and false rejections per fixed window, of limits in any interval."""
    size = {"sites": 3, "items": 400, "seed": 4}
    played, simulated = live(protocol, load(), **size), play(protocol, load(), engine="step", record=True, **size)
    assert by_step(played) == by_step(simulated)
    assert played.looks == simulated.looks
    assert measured(played) == measured(simulated)


@pytest.mark.parametrize("protocol", [Martingale(alpha=0.1, delta=1e-6), Randomized(alpha=0.3)])
@pytest.mark.false_alarm(2e-6)
def test_a_protocol_with_coins_keeps_its_promise_and_knows_all_items_at_a_poll(protocol: Protocol) -> None:
    game = live(protocol, RoundRobin(), sites=4, items=2_000, seed=1)
    kinds = {row["kind"]: row["messages"] for row in game.kinds.to_dict("records")}
    assert game.coins
    assert game.items == 2_000
    assert sum(kinds.values()) == game.messages == len(game.transcript)
    if protocol.kind == "martingale":
        assert game.ok


@pytest.mark.parametrize("start", [0, 7, 400])
def test_errors_in_real_time_are_relative_to_all_items(start: int) -> None:
    """Those handed out by then and those before the game, at each step: held against the outputs, step by step."""
    sizes = {"sites": 2, "items": 300, "start": start}
    game = live(Deterministic(alpha=0.1), RoundRobin(), Host(rate=1_500.0), **sizes)
    changes = dict(zip(game.outputs["step"], game.outputs["output"], strict=True))
    output, errors = Fraction(start), []
    for step in range(1, 301):
        output = Fraction(changes.get(step, output))
        errors.append(abs(output / (start + step) - 1))
    assert len(changes) >= 2
    assert game.max_rel_error == pytest.approx(float(max(errors)), rel=1e-9)


def test_what_processes_cannot_play_is_refused_before_they_start() -> None:
    for message, options in (
        ("network must be left out", {"network": {"latency": 3}}),
        ("sees the state", {"adversary": _Looking(), "sees": "state"}),
    ):
        options = {"adversary": RoundRobin(), **options}
        with pytest.raises(ScenarioError, match=message):
            live(Deterministic(alpha=0.1), options.pop("adversary"), sites=2, items=10, **options)
    with pytest.raises(ScenarioError, match="no step can be skipped"):
        live(Deterministic(alpha=0.1), lambda view: None, Host(rate=10.0), sites=2, items=200)


class _Looking(RoundRobin):
    sees = "state"


class _Fails(Deterministic):
    def server(self, *arguments: Any) -> Any:
        server = super().server(*arguments)

        class Failing(type(server)):  # type: ignore[misc]
            __slots__ = ()

            def hear(self, *message: Any) -> Any:
                raise RuntimeError("as if it were broken")

        server.__class__ = Failing
        return server


def test_a_process_that_may_start_no_others_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of multiprocessing.Pool: its games ended with an AssertionError."""
    monkeypatch.setattr("multiprocessing.process.current_process", lambda: SimpleNamespace(daemon=True))
    with hosted(Host()), pytest.raises(ScenarioError, match=r"use concurrent\.futures\.ProcessPoolExecutor"):
        play(Exact(), RoundRobin(), sites=2, items=5)


def test_a_class_that_raises_ends_the_game_with_a_line_and_no_process_stays() -> None:
    with pytest.raises((RunError, RuntimeError)):
        live(_Fails(alpha=0.1), RoundRobin(), sites=2, items=10)
