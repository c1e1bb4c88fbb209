"""Compiled functions play the game of `leap` and `step` where messages take time, or are lost, overtaken or copied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from disttrack.adversaries import Adversary, Burst, Bursts, Freeze, Labels, Moves, RoundRobin, SingleSite, Uniform, Zipf
from disttrack.mechanisms.compiler import available
from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    Exact,
    Martingale,
    Protocol,
    Randomized,
    Robust,
)
from disttrack.protocols import kernel as slot
from disttrack.protocols import letters as mail
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.rounds.base import RoundProtocol
from disttrack.protocols.rounds.mail_kernel import FORWARDING, RULE, MailedRoundForm
from disttrack.protocols.rounds.sites import RoundServer
from disttrack.simulator import Game, play
from disttrack.simulator.game.engines import compiled as engine
from disttrack.simulator.game.engines import mail_kernel
from disttrack.simulator.game.judge import LagJudge
from disttrack.simulator.game.judging import lags
from disttrack.simulator.game.network.mail import Origin
from disttrack.simulator.game.network.mailbag import Mailbag
from disttrack.simulator.game.outputs import plain
from disttrack.simulator.game.reference import DifferenceError
from tests.simulator.game.test_compiled import facts

pytestmark = pytest.mark.usefixtures("uncompiled")
LOSSY = {"loss": 0.1, "reordering": 0.3, "duplication": 0.2}

TRACKERS: list[Protocol] = [
    Exact(),
    Deterministic(alpha=0.1),
    Deterministic(alpha=0.1, centred=True),
    DeterministicRounds(alpha=0.1),
    Randomized(alpha=0.1),
    Block(alpha=0.1),
    Martingale(alpha=0.1),
    Martingale(alpha=0.1, parameters="simple"),
    Robust(alpha=0.2),
    Robust(alpha=0.2, parameters="tight"),
    Robust(alpha=0.2, parameters={"c": 0.1, "blocks": 0.1}),
]
BY_STEP = 1000
"""Items up to which `step` plays the game too."""


def same(protocol: Protocol, adversary: Any, network: dict[str, Any], **options: Any) -> Game:
    """Play a game by all engines, and return that of `compiled`."""
    options |= {"network": network}
    game = play(protocol, adversary, engine="compiled", **options)
    others = ["leap", "step"] if options["items"] <= BY_STEP else ["leap"]
    for name in others:
        assert facts(game) == facts(play(protocol, adversary, engine=name, **options))
    assert game.engine == "compiled"
    return game


# ---------------------------------------------------------------------- what is rare


class Seen(Counter[str]):
    """Counts of what happens in games by mail, taken where it happens."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._step = -1
        end_step, arrives, room = mail_kernel.end_step, mail_kernel.arrives, Mailbag.make_room
        refill, counted, close = MailedRoundForm.refill, RoundServer.counted, LagJudge.close

        def ended(whole: Any, *given: Any) -> Any:
            chains = whole[mail.NEXT_CHAIN] - whole[mail.FIRST_CHAIN]
            self["chains open together"] += chains > 1
            self["steps with none"] += chains == 0
            return end_step(whole, *given)

        def arrived(whole: Any, arrays: Any) -> Any:
            self["arrivals of one step"] += whole[mail.STEP] == self._step
            self._step = whole[mail.STEP]
            before = whole[mail.LETTERS_SENT]
            place = arrives(whole, arrays)
            letter = arrays[mail.LETTERS][place]
            self["copies"] += letter[mail.AGAIN_TURN] > 0 and letter[mail.AGAIN] == 0
            assert before == whole[mail.LETTERS_SENT]
            return place

        def made_room(bag: Any) -> None:
            lengths = [len(one) for one in bag.arrays]
            wound = bag._whole[mail.FIRST_CHAIN] > 0
            room(bag)
            larger = [len(one) > before for one, before in zip(bag.arrays, lengths, strict=True)]
            self["more letters"] += larger[mail.LETTERS]
            self["more chains, not from the first place on"] += larger[mail.CHAINS] and wound

        def refilled(form: Any, wanted: int = 0) -> None:
            sizes, left = (form.coins.size, form.whole[slot.WANTED]), form.whole[slot.COIN] < form.whole[slot.COINS]
            self["coins of another size while some are left"] += form._draws_by_size and left and sizes[0] != sizes[1]
            refill(form, wanted)

        def all_counted(server: Any, *given: Any) -> Any:
            self["signals after an answer"] += len(server.early) > 0
            return counted(server, *given)

        def closed(judge: Any, *given: Any) -> Any:
            self["judged by the plain judge"] += 1
            return close(judge, *given)

        patch.setattr(mail_kernel, "end_step", ended)
        patch.setattr(mail_kernel, "arrives", arrived)
        patch.setattr(Mailbag, "make_room", made_room)
        patch.setattr(MailedRoundForm, "refill", refilled)
        patch.setattr(RoundServer, "counted", all_counted)
        patch.setattr(LagJudge, "close", closed)


def test_what_is_rare_happens_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is counted in the compiled form, and the games are those of `leap`."""
    games = [
        (Exact(), Uniform(), {"latency": {"uniform": {"from": 0, "to": 90}}}, 9, 400),
        (Deterministic(alpha=0.1), RoundRobin(), {"latency": 2, "loss": 0.4, "duplication": 0.4}, 5, 800),
        (Block(alpha=0.1), Bursts(mean=9), {"latency": {"exponential": 15}}, 6, 4000),
        (Robust(alpha=0.2, parameters="tight"), Uniform(), {"latency": {"exponential": 40}}, 4, 20_000),
        (DeterministicRounds(alpha=0.1), SingleSite(), {"latency": 60}, 3, 3000),
        (Randomized(alpha=0.1), Zipf(), {"latency": {"uniform": {"from": 0, "to": 300}}, "reordering": 0.5}, 90, 900),
    ]
    longest, lost, failed = 0, 0, 0
    with monkeypatch.context() as patch:
        seen = Seen(patch)
        played = [play(*sides, sites=k, items=n, network=net, engine="compiled") for *sides, net, k, n in games]
    for game, (protocol, adversary, network, k, n) in zip(played, games, strict=True):
        assert facts(game) == facts(play(protocol, adversary, sites=k, items=n, network=network, engine="leap"))
        longest, lost = max(longest, game.extra["max_lag"]), lost + game.extra["lost"]
        failed += game.verdict == "failed"
    wanted = (
        "chains open together", "steps with none", "arrivals of one step", "copies", "more letters",
        "more chains, not from the first place on", "coins of another size while some are left",
        "signals after an answer", "judged by the plain judge",
    )  # fmt: skip
    assert {name: seen[name] for name in wanted if not seen[name]} == {}
    assert longest > 100
    assert lost > 20
    assert failed > 0


@dataclass(frozen=True)
class Pausing(DeterministicRounds):
    """Its second round begins late, so that a poll is followed by items that are forwarded."""

    def rule_of(self, k: int, coins: Any) -> Any:
        rule_of = super().rule_of(k, coins)
        return lambda number, total: None if number == 2 and total < 700 else rule_of(number, total)

    kernel_form = RoundProtocol.round_form


def test_items_that_have_waited_for_a_round_are_forwarded(monkeypatch: pytest.MonkeyPatch) -> None:
    waited, goes_on = Counter[bool](), MailedRoundForm.goes_on

    def gone_on(whole: Any, real: Any, sites: Any, arrays: Any, site: Any) -> Any:
        waited[bool(sites[site, RULE] == FORWARDING and sites[site, slot.COUNT])] += 1
        return goes_on(whole, real, sites, arrays, site)

    monkeypatch.setattr(MailedRoundForm, "goes_on", staticmethod(gone_on))
    same(Pausing(alpha=0.3), Uniform(), {"latency": 5, "latency_down": 40}, sites=3, items=900, seed=1)
    assert waited[True] > 20


def test_a_number_that_a_later_one_has_overtaken_is_left_out() -> None:
    """It stands for a larger p, with which no site can redraw its report. Sites hear in the middle of a rotation."""
    network = {"latency": {"uniform": {"from": 0, "to": 150}}, "reordering": 0.5}
    for seed in range(6):
        same(Randomized(alpha=0.1), RoundRobin(), network, sites=3, items=400, seed=seed)


def test_plans_end_between_a_message_and_its_arrival() -> None:
    """Labels, bursts and runs that follow each other, a level, and an adversary that stops early or raises."""

    def moves(view: Any) -> Iterator[Any]:
        rng = np.random.default_rng(5)
        while view.sent < 400:
            site = int(rng.integers(view.sites))
            view = yield Burst(site, 3) if view.changes % 2 else Labels(rng.integers(view.sites, size=4))

    def raising(view: Any) -> Iterator[Any]:
        yield Burst(0, 40)
        raise RuntimeError(f"{view.steps} {float(view.output)} {view.changes} {view.changed_at}")

    for number, protocol in enumerate(TRACKERS[1::3]):
        adversary = (moves, raising, Moves("0*30 1*3 2*50 0 1 2"))[number % 3]
        same(protocol, adversary, {"latency": {"exponential": 30}}, sites=3, items=500, seed=2, on_error="record")
    game = same(Deterministic(alpha=0.1), Uniform(), {"latency": 9}, sites=3, items=900, level=250)
    assert game.crossed == play(
        Deterministic(alpha=0.1), Uniform(), network={"latency": 9}, sites=3, items=900, level=250, engine="leap"
    ).crossed


# ---------------------------------------------------------------------- the judge


def test_the_judge_of_many_windows_is_the_plain_one(draw: int) -> None:
    """Both ways of judging are taken, of windows and of failing steps."""
    happened = Counter[str]()

    @seeded(draw)
    @settings(max_examples=150, deadline=None)
    @given(st.data())
    def hold(data: Any) -> None:
        hold_judges_equal(happened, data)

    hold()
    assert 0 < happened["plain"] < happened["rows"] / 2
    assert min(happened["failing"], happened["windows"]) > 10


def hold_judges_equal(happened: Counter[str], data: Any) -> None:
    """Logs of outputs and chains, drawn, near the truth and near the borders; the plain judge takes each note."""
    alpha = data.draw(st.sampled_from([None, 0.0, 0.1, 0.5, 0.25, 1 / 3]))
    scale = data.draw(st.sampled_from([(1, 1), (11, 10)]))
    whole = scale != (1, 1) or data.draw(st.booleans())
    start, warm_up = data.draw(st.sampled_from([0, 3, 1000])), data.draw(st.sampled_from([0, 0, 7]))
    rows, step, before = [], 1, start
    for _ in range(data.draw(st.integers(1, 12))):
        oldest = data.draw(st.integers(0, 6))
        began = max(0, step - oldest + 1) if oldest else 0
        before = start + max(0, began - 1) if began else 0
        near = start + step + data.draw(st.integers(-12, 12))
        output = max(0, near * data.draw(st.sampled_from([1, 1, 0.5, 0.9, 1.1, 1.2, 2.5, 0.1])))
        rows.append((step, int(output) if whole else output, began, before))
        step += data.draw(st.integers(1, 9))
    log = np.array([*rows, (step, 0, 0, 0)], float)
    kind: Any = int if whole else float

    def judge() -> LagJudge:
        return LagJudge(alpha, plain(kind(log[0, 1]), *scale), warm_up, start)

    fast, slow, calls = judge(), judge(), []
    plain_close = fast.close
    fast.close = lambda *given: calls.append(given) or plain_close(*given)  # type: ignore[method-assign, func-returns-value]
    fast.close_log(log, len(rows), start, scale, whole, lags)
    for step, output, oldest, before in log[: len(rows)].tolist():
        origin = Origin(int(oldest), int(before)) if oldest else None
        slow.note(int(step), plain(kind(output), *scale), origin, lambda step: step + start)
    slow.close(int(log[-1, 0]) - 1, lambda step: step + start)
    names = "failing_steps", "first_failure", "first_failing_step", "max_lag", "highest", "lowest", "judged"
    assert {name: getattr(fast, name) for name in names} == {name: getattr(slow, name) for name in names}
    assert fast.verdict() == slow.verdict()
    happened["rows"] += len(rows)
    happened["plain"] += len(calls)
    happened["failing"] += fast.failing_steps > 0
    happened["windows"] += fast.max_lag > 1


# ---------------------------------------------------------------------- the gate


@dataclass(frozen=True)
class DeafForm(Randomized):
    """Its sites hear nothing where messages take time, and all else is that of its parent."""

    def kernel_form(self, *given: Any) -> Any:
        form = super().kernel_form(*given)
        form.site_hears = KernelForm.site_hears
        return form


def test_functions_for_mail_of_a_user_are_compared_with_the_sites() -> None:
    sides, options = (DeafForm(alpha=0.3), RoundRobin()), {"sites": 4, "items": 20_000, "engine": "compiled"}
    assert play(*sides, **options).messages == play(Randomized(alpha=0.3), RoundRobin(), **options).messages
    with pytest.raises(DifferenceError, match="DeafForm: step and compiled play different games"):
        play(*sides, network={"latency": 2}, **options)


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="numba is not installed")
@pytest.mark.parametrize(
    ("protocol", "adversary", "network"),
    [
        (Robust(alpha=0.2), Freeze(), {"latency": {"exponential": 9}}),
        (Randomized(alpha=0.05), Uniform(), {**LOSSY, "latency": {"uniform": {"from": 0, "to": 60}}, "warm_up": 100}),
        (Deterministic(alpha=0.05, centred=True), RoundRobin(), {"latency": 7}),
    ],
)
def test_it_plays_the_same_as_compiled(
    protocol: Protocol, adversary: Adversary, network: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from disttrack.mechanisms.compiler import compiled

    monkeypatch.setattr(engine, "compiled", compiled)
    same(protocol, adversary, network, sites=30, items=40_000, seed=1)
