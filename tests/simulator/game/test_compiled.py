"""The engine `compiled` plays the very game of `leap`: what is rare, what is large, and what it leaves to `leap`.

Games of all sides are drawn in test_engines_agree.py. Most are played by the functions as they are written: compiled,
they give the same numbers, as other tests show.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partialmethod
from typing import Any

import numpy as np
import pytest
from compiled_rules import COMPILED
from reactions import REACTIONS
from uncompiled import as_written

from disttrack.adversaries import (
    Adversary,
    BoundedMemory,
    Burst,
    Bursts,
    Coin,
    Freeze,
    Labels,
    Policy,
    Rotation,
    RoundRobin,
    Runs,
    SingleSite,
    Uniform,
    View,
    Zipf,
)
from disttrack.adversaries.replay import Prefix
from disttrack.adversaries.schedules import Schedule
from disttrack.mechanisms.noise import Draws
from disttrack.protocols import (
    Batch,
    Block,
    CoinReports,
    Countdown,
    Deterministic,
    DeterministicRounds,
    DifferenceEstimators,
    Exact,
    Martingale,
    PrivateCopies,
    Protocol,
    Randomized,
    Robust,
    SketchSwitching,
)
from disttrack.protocols.kernel import MOST
from disttrack.protocols.sampling.copies_kernel import CopiesForm, PrivateForm
from disttrack.protocols.thresholds.alarms import Threshold
from disttrack.simulator import Game, ScenarioError, play
from disttrack.simulator.game.engines import compiled as engine
from disttrack.simulator.game.verdict import IntervalJudge


def named(side: object) -> str:
    """Return the name of a case, the same in each process."""
    text = repr(side)
    return type(side).__name__ if " at 0x" in text else text


TRACKERS: list[Protocol] = [
    Deterministic(alpha=0.1),
    Deterministic(alpha=0.1, centred=True),
    DeterministicRounds(alpha=0.1),
    Randomized(alpha=0.1),
    Randomized(alpha=0.1, delta=0.1, parameters="tight"),
    Block(alpha=0.1),
    Martingale(alpha=0.1),
    Martingale(alpha=0.1, parameters="simple"),
    Robust(alpha=0.2),
    Robust(alpha=0.2, parameters="tight"),
    DifferenceEstimators(alpha=0.2),
    DifferenceEstimators(alpha=0.5, delta=0.5),
    SketchSwitching(alpha=0.5, delta=0.5, largest=1e5),
    SketchSwitching(alpha=0.9, delta=0.5, largest=500.0),
    PrivateCopies(alpha=0.5, largest=1e4),
    PrivateCopies(alpha=0.9, epsilon=2000.0, largest=500.0),
    Exact(),
    Countdown(threshold=2900, epsilon=0.1),
    Countdown(threshold=10**5 + 1500, epsilon=0.001),
    Batch(threshold=2000, epsilon=0.3),
    CoinReports(threshold=2500, epsilon=0.2),
    Robust(alpha=0.2, parameters={"c": 0.1, "blocks": 0.1}),
]
OTHERS: list[Adversary] = [
    RoundRobin(),
    SingleSite(),
    Uniform(),
    Zipf(),
    Bursts(mean=20),
    Coin(),
    BoundedMemory(1, reads="output"),
    *(reaction() for reaction in REACTIONS),
]
SIZES: list[dict[str, int]] = [
    {"sites": 1, "items": 1},
    {"sites": 1, "items": 300},
    {"sites": 7, "items": 3000},
    {"sites": 5, "items": 2000, "start": 10**5},
]


def facts(game: Game) -> dict[str, Any]:
    """Return everything that is known of a game but its record."""
    error = (game.error or "").strip().splitlines()[-1:]
    more = {"steps": game.steps, "step": game.first_failing_step, "judged": game.judged, "coins": game.coins}
    more |= {"highest": game.highest, "lowest": game.lowest, "extra": game.extra, "of sites": game.messages_of_site}
    tables = {"kinds": game.kinds.to_dict("list"), "series": game.series.to_dict("list")}
    return {**game.row(), **more, **tables, "engine": None, "seconds": None, "error": error}


def same(protocol: Protocol, adversary: Any, **options: Any) -> Game:
    """Play a game by both engines, and return that of `compiled`."""
    games = [play(protocol, adversary, engine=name, **options) for name in ("leap", "compiled")]
    assert facts(games[1]) == facts(games[0])
    assert games[1].engine == "compiled"
    return games[1]


def test_a_coin_is_left_of_a_batch_where_a_round_of_another_size_begins(uncompiled: None) -> None:
    same(TRACKERS[-1], Freeze(), sites=3, items=40, start=50, seed=1)


def test_a_game_of_many_messages_as_compiled() -> None:
    """The largest errors, failing steps and coins of batches, over some ends of the log of changes."""
    game = same(Randomized(alpha=0.02), Freeze(), sites=100, items=300_000, seed=1)
    assert game.output_changes > 20_000
    assert game.verdict == "failed"


def test_outputs_that_are_left_out_of_the_log_are_no_extremes(
    uncompiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games that are judged after few changes, so that the judge sees a part of the later ones only."""
    seen = Counter[str]()
    judge = IntervalJudge.change_log

    def counting(self: IntervalJudge, log: Any, first: int, *rest: Any) -> None:
        seen["judged"] += len(log) - first
        judge(self, log, first, *rest)

    monkeypatch.setattr(engine, "MANY", 5)
    monkeypatch.setattr(IntervalJudge, "change_log", counting)
    rounds = DeterministicRounds(alpha=0.1), Block(alpha=0.1), DifferenceEstimators(alpha=0.2)
    for protocol in (Deterministic(alpha=0.1), Randomized(alpha=0.1, confidence=0.5), *rounds):
        for adversary in (Freeze(), RoundRobin()):
            game = same(protocol, adversary, seed=2, sites=9, items=400)
            seen["changes"] += game.output_changes
            seen[game.verdict] += 1
    assert seen["changes"] - seen["judged"] > 300
    assert min(seen["ok"], seen["failed"]) > 0


# ---------------------------------------------------------------------- plans without a form of their own


class OwnPlan(Prefix):
    """The first steps of another plan, by a class that has no form of its own."""


class OwnPlans(Adversary):
    """Makes new plans after some changes of the output or steps, and goes on with the present one after others."""

    kind = "own-plans"

    def __init__(self, oblivious: bool, length: int, keeps: int = 1) -> None:
        self.oblivious, self.length, self.keeps = oblivious, length, keeps  # type: ignore[misc]
        self.last: Schedule | None = None
        self.end = 0

    def plan(self, view: View) -> Schedule | None:
        number = view.steps if self.oblivious else view.changes
        if self.last and view.steps < self.end and number % self.keeps:
            return None if number % 2 else self.last
        labels = np.random.default_rng(number).integers(view.sites, size=self.length)
        inner = Rotation(view.sites, number % view.sites) if number % 2 else Labels(labels)
        self.last, self.end = OwnPlan(inner, self.length), view.steps + self.length
        return self.last


def test_a_plan_that_is_too_long_to_be_listed_is_left_to_leap(
    uncompiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "COMPILING", 0.0)
    monkeypatch.setattr(engine, "MOST_LISTED", 100)
    plans, size = OwnPlans(True, 4000), SIZES[2]
    leap = facts(play(TRACKERS[3], plans, engine="leap", **size))
    assert facts(play(TRACKERS[3], plans, **size)) == leap
    with pytest.raises(ScenarioError, match=r"OwnPlan, a plan of adversary own-plans \(test_comp.*py:\d+\), has no"):
        play(TRACKERS[3], plans, engine="compiled", **size)


@pytest.mark.drawn(5)
@pytest.mark.slow
@pytest.mark.parametrize(("number", "adversary"), list(enumerate([*COMPILED, *OTHERS])), ids=named)
def test_each_pair_as_compiled(number: int, adversary: Adversary) -> None:
    """Each adversary against every third tracker, each in one size; others are played above and below."""
    for place in range(number % 3, len(TRACKERS), 3):
        same(TRACKERS[place], adversary, seed=4, **SIZES[(place + number) % len(SIZES)])


# ---------------------------------------------------------------------- what is rare


@pytest.mark.drawn(8)
@pytest.mark.parametrize("protocol", TRACKERS, ids=range(len(TRACKERS)))
def test_numbers_are_exact_up_to_the_largest_that_it_takes(uncompiled: None, protocol: Protocol) -> None:
    """Starts from 2^20 to 2^53, and alphas of up to 16 digits where other parameters do not have to be found anew."""
    rng, outcomes = np.random.default_rng(8), Counter[str]()
    for seed in range(12):
        start, alpha = int(2 ** rng.uniform(20, 53)), round(rng.uniform(0.05, 0.5), int(rng.integers(1, 17)))
        if getattr(protocol, "parameters", "median") == "median" and hasattr(protocol, "alpha"):
            protocol = replace(protocol, alpha=alpha)
        try:
            items = min(start // 4, 1000) if isinstance(protocol, Exact | Threshold) else start // 4  # a message each
            same(protocol, Freeze(), sites=3, items=items, start=start, seed=seed)
            outcomes["played"] += 1
        except ScenarioError as error:
            if "numbers are too large" not in str(error) and alpha == round(alpha, 15):
                raise
            outcomes["refused"] += 1
            outcomes["refused by its own rule"] += start + items < MOST / 2
    assert min(outcomes["played"], outcomes["refused"]) > 0
    assert (outcomes["refused by its own rule"] > 0) == isinstance(protocol, Deterministic)


def test_private_copies_run_out_of_noise_and_of_changes(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise is drawn anew within a test, of batches of 8; outputs change at announcements too; then they never do."""
    happened = Counter[str]()
    serve, lay_out = CopiesForm.serve, PrivateForm._lay_out

    def served(form: Any, *given: Any) -> None:
        before = form.server.left
        serve(form, *given)
        happened["change at an announcement"] += form.server.left < before

    def laid_out(form: Any, *given: Any) -> None:
        happened["noise"] += 1
        lay_out(form, *given)

    monkeypatch.setattr(Draws, "__init__", partialmethod(Draws.__init__, batch=8))
    monkeypatch.setattr(CopiesForm, "serve", served)
    monkeypatch.setattr(PrivateForm, "_lay_out", laid_out)
    for seed in range(6):
        protocol = PrivateCopies(alpha=0.9, largest=1e5 if seed % 2 else 100)
        before = happened["noise"] + 1
        game = same(protocol, RoundRobin(), sites=40, items=800, seed=seed)
        happened["noise drawn anew"] += happened["noise"] - before > game.output_changes
        happened["all changes made"] += game.output_changes == protocol.changes()
    assert min(happened[name] for name in ("change at an announcement", "noise drawn anew", "all changes made")) > 0


def plans_of(seed: int, happened: Counter[str]) -> Callable[[View], Iterator[Any]]:
    """Return a generator of drawn plans of all forms, each played to its end or to a change of the output."""

    def drawn(view: View) -> Iterator[Any]:
        rng, before = np.random.default_rng(seed), ""
        while True:
            number, sites = int(rng.integers(1, 9)), rng.integers(view.sites, size=8)
            plan = [
                Burst(int(sites[0]), 5 * number),
                Labels(sites[:number].astype(np.uint16)),
                Runs(sites[:number].tolist(), rng.integers(1, 9, number).tolist()),
                Rotation(int(rng.integers(1, view.sites + 1)), int(sites[0])),
            ][rng.choice(4, p=[0.2, 0.2, 0.4, 0.2])]
            form, end = type(plan).__name__, view.steps + min(plan.length, 60)
            happened[f"{form} after {before}"] += 1
            view = yield plan
            while view.steps < end and rng.random() < 0.8:
                view = yield None
            before = form if view.steps >= end else f"{form} that was cut off"

    return drawn


def skipping(view: View) -> int | None:
    return None if view.steps == 40 else 0


def test_what_it_cannot_play_is_left_to_leap(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "COMPILING", 0.0)
    size: dict[str, Any] = {"sites": 3, "items": 300}
    game = play(TRACKERS[0], skipping, **size)
    assert facts(game) == facts(play(TRACKERS[0], skipping, engine="leap", **size))
    assert len(play(TRACKERS[0], Freeze(), record=True, **size).transcript) > 40
    for why, sides, more in (
        (r"Rest, a plan of adversary skipping \(test_compiled\.py:\d+\), has", (TRACKERS[0], skipping), {}),
        ("the compiled form has no record", (TRACKERS[0], Freeze()), {"record": True}),
        ("no compiled form with these parameters", (Randomized(alpha=0.1, copies=3), Freeze()), {}),
        ("numbers are too large", (TRACKERS[3], Freeze()), {"start": 2**60}),
        ("numbers are too large", (Deterministic(alpha=1e-12, centred=True), Freeze()), {"start": 2**40}),
        ("no compiled form with these parameters", (Deterministic(alpha=1e-30), Freeze()), {}),
    ):
        with pytest.raises(ScenarioError, match=f"engine compiled can't play this game: .*{why}"):
            play(*sides, engine="compiled", **size, **more)


# ---------------------------------------------------------------------- the choice


@pytest.mark.parametrize(("kept", "cost"), [(False, "COMPILING"), (True, "LOADING")])
def test_nothing_is_compiled_or_loaded_for_short_games(kept: bool, cost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the games that leap has played for want of it would have paid for it."""
    made = []
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setattr(engine, "_SPENT", {})
    monkeypatch.setattr(engine, "is_kept", lambda function, **parts: kept)
    monkeypatch.setattr(engine, "compiled", lambda *given, **parts: made.append(1) or as_written(*given, **parts))
    tracker, size = Block(alpha=0.1), {"sites": 3, "items": 300}
    first = play(tracker, Policy(), **size)
    assert made == []
    monkeypatch.setattr(engine, cost, 1e-9)
    assert facts(play(tracker, Policy(), **size)) == facts(first)
    assert made
    assert first.engine == "leap"
