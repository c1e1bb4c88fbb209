"""The engine `compiled` plays the very game of `leap`: every number of it, for all trackers, adversaries and sizes.

Most games are played by the functions as they are written: compiled, they give the same numbers, as other tests show.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partialmethod
from typing import Any, ClassVar

import numpy as np
import pytest
from compiled_rules import COMPILED
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reactions import REACTIONS
from uncompiled import as_written

from disttrack.adversaries import (
    Adversary,
    BoundedMemory,
    Burst,
    Bursts,
    Coin,
    Feedback,
    Freeze,
    Labels,
    Moves,
    Policy,
    Replay,
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
from disttrack.protocols.base import Message
from disttrack.protocols.kernel import MOST
from disttrack.protocols.sampling.copies_kernel import CopiesForm, PrivateForm
from disttrack.protocols.sampling.server import RandomizedServer
from disttrack.protocols.thresholds.base import Threshold
from disttrack.simulator import Game, ScenarioError, play
from disttrack.simulator.game.engine_choice import choose_engine, compiles, no_compiled_form
from disttrack.simulator.game.engines import compiled as engine
from disttrack.simulator.game.network import network_of
from disttrack.simulator.game.network.mailbag import not_carried
from disttrack.simulator.kinds.faults import broken, faults_of


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


@pytest.fixture(scope="module")
def uncompiled() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "compiled", as_written)
        yield


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


@pytest.mark.drawn(20)
@pytest.mark.parametrize("number", range(2 * len([*COMPILED, *OTHERS])))
def test_it_plays_the_game_of_leap(uncompiled: None, number: int) -> None:
    """Each adversary against two trackers in turn, in two short games and a long one."""
    adversaries = [*COMPILED, *OTHERS]
    protocol, adversary = TRACKERS[number % len(TRACKERS)], adversaries[number % len(adversaries)]
    for size in (*SIZES[:2], SIZES[2 + number % 2]):
        same(protocol, adversary, seed=3, **size)


NETWORKS: list[dict[str, Any]] = [
    {"latency": 1},
    {"latency": {"uniform": {"from": 0, "to": 9}}, "latency_down": 2, "warm_up": 30},
    {"latency": {"exponential": 30}},
    {"latency": 2, "far": {"sites": 0, "latency": {"lognormal": {"median": 9, "sigma": 1}}}},
    {"loss": 0.2, "partition": {"sites": 0, "from": 40, "to": 90}},
    {"latency": {"uniform": {"from": 0, "to": 60}}, "loss": 0.1, "reordering": 0.3, "duplication": 0.2},
]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(TRACKERS), st.sampled_from([*COMPILED, *OTHERS]), st.integers(1, 9), st.integers(0, 500),
    st.sampled_from([0, 0, 1, 50, 10**4, 10**9]), st.integers(0, 99), st.sampled_from([None, *NETWORKS]),
)  # fmt: skip
@example(TRACKERS[-1], Freeze(), 3, 40, 50, 1, None)  # the last coin of a batch comes before a round of another size
def test_of_any_size(
    uncompiled: None, protocol: Protocol, adversary: Adversary, sites: int, items: int, start: int, seed: int,
    network: Any,
) -> None:  # fmt: skip
    """With messages that take time as the form carries them, and else without."""
    if network and not_carried(network_of(network), protocol.carries):
        network = None
    same(protocol, adversary, sites=sites, items=items, start=start, seed=seed, network=network)


def test_a_game_of_many_messages_as_compiled() -> None:
    """The largest errors, failing steps and coins of batches, over some ends of the log of changes."""
    game = same(Randomized(alpha=0.02), Freeze(), sites=100, items=300_000, seed=1)
    assert game.output_changes > 20_000
    assert game.verdict == "failed"


# ---------------------------------------------------------------------- faults


def with_forms() -> dict[tuple[str, str], Protocol]:
    """Return every tracker with each of its faults that leaves it a compiled form, by the names of both."""
    pairs = {(named(one), fault): broken(one, fault) for one in TRACKERS for fault in faults_of(type(one))}
    return {key: one for key, one in pairs.items() if not no_compiled_form(one)}


BROKEN = with_forms()


def test_that_there_are_enough_faults() -> None:
    counts = Counter(fault for _, fault in BROKEN)
    assert counts["coarse"] == sum("coarse" in faults_of(type(one)) for one in TRACKERS)
    assert min(counts[name] for name in ("fixed-thresholds", "no-noise", "half-noise", "tenfold-noise")) >= 3, counts


@pytest.mark.drawn(10)
@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_a_broken_tracker_plays_the_game_of_leap_and_step(uncompiled: None, number: int) -> None:
    """Each of them against two adversaries in turn; the game of the intact one is another, where the fault matters."""
    protocol, adversaries = list(BROKEN.values())[number], [*COMPILED, *OTHERS]
    for place, size in enumerate(SIZES):
        adversary = adversaries[(number + place * 7) % len(adversaries)]
        game = same(protocol, adversary, seed=number, **size)
        if size["items"] < 1000:
            assert facts(play(protocol, adversary, engine="step", seed=number, **size)) == facts(game)


def test_a_fault_is_not_lost_in_the_compiled_form(uncompiled: None) -> None:
    """Else the equality above would compare the intact tracker with itself."""
    changed, size = Counter[str](), {"sites": 5, "items": 2 * 10**4, "start": 10**4}
    errors = {
        named(one): play(one, Uniform(), engine="compiled", **size).max_rel_error
        for one in TRACKERS
        if named(one) in {tracker for tracker, _ in BROKEN}
    }
    for (tracker, fault), protocol in BROKEN.items():
        changed[fault] += play(protocol, Uniform(), engine="compiled", **size).max_rel_error != errors[tracker]
    assert changed.keys() >= {fault for _, fault in BROKEN}
    assert min(changed.values()) > 0, changed


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


@pytest.mark.drawn(1)
@pytest.mark.parametrize("listed", [7, 50, 2**16])
@pytest.mark.parametrize("oblivious", [True, False])
def test_a_plan_without_a_form_is_listed(
    uncompiled: None, oblivious: bool, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces that end before it, with it, and after changes of the output that leave it in force.

    Two of the four lengths for each tracker, in turn.
    """
    monkeypatch.setattr(engine, "LISTED", listed)
    for number, protocol in enumerate(TRACKERS):
        for length, keeps in ((1, 1), (50, 3), (175, 5), (4000, 4))[number % 2 :: 2]:
            size = SIZES[number % len(SIZES)]
            same(protocol, OwnPlans(oblivious, length, keeps), seed=number, **size)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("of", ["freeze", "drain", "uniform", "policy", "bursts"])
def test_a_replay_is_played_by_prefixes(uncompiled: None, of: str) -> None:
    for number, protocol in enumerate(TRACKERS):
        same(protocol, Replay(of=of), seed=number, **SIZES[number % len(SIZES)])


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


@pytest.mark.drawn(6)
@pytest.mark.parametrize("protocol", TRACKERS, ids=range(len(TRACKERS)))
def test_sites_left_behind_and_a_round_that_begins_with_the_last_item(
    uncompiled: None, protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few items at each site, many at one, then some at each: reports are redrawn to 0, and sites report anew."""
    hear, redrawn, happened = RandomizedServer.hear, set[int](), Counter[str]()

    def heard(server: RandomizedServer, sender: int, message: Message) -> Any:
        if message.kind == "adjust" and message.value[1] == 0:
            redrawn.add(sender)
            happened["redrawn to 0"] += 1
        elif message.kind == "report" and sender in redrawn:
            redrawn.remove(sender)
            happened["reported anew"] += 1
        return hear(server, sender, message)

    monkeypatch.setattr(RandomizedServer, "hear", heard)
    rng = np.random.default_rng(7)
    for seed in range(5):
        few, some = (zip(rng.permutation(7).tolist(), rng.geometric(p, 7).tolist(), strict=True) for p in (0.1, 0.05))
        runs = [*few, (seed, 500), *some]
        moves = Moves(" ".join(f"{site}*{length}" for site, length in runs))
        size: dict[str, Any] = {"sites": 7, "start": 20 * (seed % 2), "seed": seed}
        items = sum(length for _, length in runs)
        redrawn.clear()
        whole = play(protocol, moves, items=items, engine="leap", record=True, **size)
        assert facts(play(protocol, moves, items=items, engine="compiled", **size)) == facts(whole)
        begun = whole.transcript.query("sender == 'server'")["step"]
        if len(begun):
            happened["a round that begins with the last item"] += 1
            same(protocol, moves, items=int(begun.max()), **size)
    silent = isinstance(protocol, Deterministic | Exact | Batch | CoinReports)
    assert (happened["a round that begins with the last item"] >= 4) != (silent or isinstance(protocol, Countdown))
    assert (min(happened["redrawn to 0"], happened["reported anew"]) > 0) == isinstance(protocol, Randomized)


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


def test_plans_of_all_forms_follow_each_other(uncompiled: None) -> None:
    """Lists of runs after others, ended or not, rotations after bursts, and so on."""
    happened = Counter[str]()
    for seed in range(8):
        start = 50 * (seed % 3)
        same(TRACKERS[seed], plans_of(seed, happened), sites=1 + seed % 6, items=250, start=start)
    assert len(happened) > 25
    assert min(happened["Runs after Runs"], happened["Runs after Runs that was cut off"]) > 9


# ---------------------------------------------------------------------- functions of the user's


def each_step(view: View) -> int:
    return (view.steps + view.changes) % view.sites


def going_on(view: View) -> Iterator[Any]:
    site = 0
    while view.sent < 700:
        view = yield Burst(site)
        site = (site + view.changes) % view.sites


def raising(view: View) -> Iterator[Any]:
    for site in range(50):
        yield Burst(site % view.sites)
    raise RuntimeError(f"{view.steps} {view.sent} {view.output} {view.changes} {view.changed_at}")


def wrong(view: View) -> int:
    return 0 if view.changes < 10 else view.sites


@pytest.mark.parametrize("function", [each_step, going_on, raising, wrong])
@pytest.mark.parametrize("protocol", TRACKERS[:3], ids=named)
def test_a_function_is_asked_as_by_leap(uncompiled: None, protocol: Protocol, function: Any) -> None:
    game = same(protocol, function, sites=5, items=1000, seed=2, on_error="record")
    assert game.verdict == ("error" if function in (raising, wrong) else "ok")
    if function is raising:  # after the items that its view had, and not after one less
        assert str(game.error).split()[-4] == str(game.items)


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


class Sees(Freeze):
    sees: ClassVar[Any] = "traffic"


class NoForm(Deterministic):
    kernel_form = Protocol.kernel_form


class OtherRule(Deterministic):
    @property
    def thresholds(self) -> Any:
        return Deterministic(alpha=0.5).thresholds


class OtherScript(Freeze):
    def script(self, view: View) -> Iterator[Burst]:
        yield Burst(0)


@pytest.mark.parametrize(
    ("protocol", "adversary", "network", "why"),
    [
        (DifferenceEstimators(0.2), Freeze(), {"latency": 1}, "messages take time"),
        (NoForm(0.1), Freeze(), None, "the protocol has no compiled form"),
        (OtherRule(0.1), Freeze(), None, "OtherRule changes thresholds, so its inherited compiled form"),
        (Deterministic(0.1), Sees(), None, "the adversary sees more than the outputs"),
        (broken(Randomized(0.1), "lost-reports"), Freeze(), None, "changes fault"),
    ],
)
def test_games_without_a_compiled_form(protocol: Any, adversary: Any, network: Any, why: str) -> None:
    for asked in ("auto", "leap"):
        assert not compiles(asked, protocol, adversary, network_of(network))
    with pytest.raises(ScenarioError, match=why):
        choose_engine("compiled", protocol, adversary, network_of(network))


def test_auto_takes_it_where_it_takes_leap(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = ((Randomized(0.1), Freeze()), (Randomized(0.1), OtherScript()), (Robust(0.1), Uniform()))
    for protocol, adversary in sides:
        chosen, why = choose_engine("auto", protocol, adversary, None)
        assert chosen == "leap"
        assert why.endswith("compiled where that pays")
        assert compiles("auto", protocol, adversary, None)
        assert not compiles("leap", protocol, adversary, None)
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: False)
    chosen, why = choose_engine("auto", Robust(0.1), Freeze(), None)
    assert (chosen, why.endswith("pip install 'disttrack[fast]')")) == ("leap", True)


@pytest.mark.parametrize("protocol", [Robust(0.1), Martingale(0.1)], ids=named)
def test_auto_gives_the_transcript_of_leap(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba or not; so has the rehearsal of a replay."""
    for name in ("COMPILING", "LOADING"):
        monkeypatch.setattr(engine, name, 0.0)
    monkeypatch.setattr(engine, "compiled", as_written)
    size: dict[str, Any] = {"sites": 3, "items": 300, "seed": 5}
    for adversary in (Freeze(), OtherScript(), Feedback(block=50), Replay(of="feedback")):
        with_numba = facts(play(protocol, adversary, **size))
        assert facts(play(protocol, adversary, engine="leap", **size)) == with_numba
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("disttrack.simulator.game.engine_choice.available", lambda: False)
            assert facts(play(protocol, adversary, **size)) == with_numba


def test_a_function_and_a_class_of_one_rule_play_one_game() -> None:
    """A generator is asked in Python, and the rule of `freeze` is compiled: the coins are the same."""

    def fleeing(view: View) -> Iterator[Burst]:
        yield from (Burst(number % view.sites) for number in range(3000))

    for protocol in (Robust(0.2), Martingale(0.1), Randomized(0.1)):
        games = [play(protocol, adversary, sites=5, items=3000, seed=2) for adversary in (Freeze(), fleeing)]
        assert len({(game.words, game.max_rel_error, game.output_changes) for game in games}) == 1


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
