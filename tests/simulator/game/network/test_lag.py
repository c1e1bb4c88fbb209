"""The verdict where messages take time: against a step-by-step reference, and at its edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.adversaries import Choice, Freeze, RoundRobin, Uniform
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
from disttrack.protocols.base import Message, Server
from disttrack.simulator import play
from disttrack.simulator.game.judge import LagJudge
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.network.mail import Ends, Letter, Mail, Origin, Receivers
from disttrack.simulator.game.network.wires import Wires

PROTOCOLS: list[Protocol] = [
    Exact(), Deterministic(alpha=0.1), Deterministic(alpha=0.1, centred=True), DeterministicRounds(alpha=0.1),
    Randomized(alpha=0.2), Block(alpha=0.2), Robust(alpha=0.3), Martingale(alpha=0.2),
]  # fmt: skip


def error(output: float, floor: int, now: int) -> Fraction | float:
    """Return the least relative error over all that lies from `floor` to `now`, by trying the whole numbers."""
    if output in (inf, -inf) or output != output:
        return inf
    if floor <= output <= now:
        return Fraction(0)
    return min(
        abs(Fraction(output) - n) / n if n else (Fraction(0) if output == 0 else inf) for n in range(floor, now + 1)
    )


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 4),
            st.one_of(st.integers(-2, 30), st.sampled_from([0.5, -1.5, 7.25, inf, nan])),
            st.booleans(),
        ),
        max_size=12,
    ),
    st.lists(st.booleans(), min_size=60, max_size=60),
    st.sampled_from([0.1, 0.25, 0.5]),
    st.integers(0, 8),
    st.integers(0, 5),
    st.data(),
)  # fmt: skip
def test_the_referee_judges_every_step(
    notes: list[tuple[int, Any, bool]], fed: list[bool], alpha: float, warm_up: int, start: int, data: Any
) -> None:
    items = [start]
    for there in fed:
        items.append(items[-1] + there)
    referee = LagJudge(alpha, start, warm_up, start)
    states: dict[int, tuple[Any, Origin | None]] = {}
    now = 0
    for wait, output, open_ in notes:
        now += wait
        begun = data.draw(st.integers(1, now)) if open_ else None
        states[now] = output, None if begun is None else Origin(begun, items[begun - 1])
    last = now + data.draw(st.integers(0, 60 - now))
    worst, failing, first, lag, compared = Fraction(0), 0, None, 0, False
    output, oldest = start, None
    for step in range(1, last + 1):
        if step in states:
            output, oldest = states[step]
            referee.note(step, output, oldest, items.__getitem__)
        if step <= warm_up:
            continue
        compared = compared or oldest is None or oldest.before > start
        found = error(output, items[step] if oldest is None else oldest.before, items[step])
        worst = max(worst, found)
        lag = max(lag, 0 if oldest is None else step - oldest.step + 1)
        if found > Fraction(str(alpha)):
            failing += 1
            first = items[step] if first is None else first
    referee.close(last, items.__getitem__)
    assert referee.failing_steps == failing
    assert referee.first_failure == first
    assert referee.max_error == pytest.approx(float(worst), rel=1e-12)
    assert referee.max_lag == lag
    assert referee.verdict() == ("failed" if failing else "ok" if compared else "undecided")


class _NoDelay(Network):
    """A network on which nothing takes time, played as if something did."""

    instant = False


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("place", range(len(PROTOCOLS)))
def test_without_delay_it_is_the_relative_error_and_the_same_game(place: int) -> None:
    adversaries = [RoundRobin(), Uniform(), Freeze(), Choice(lambda view: None if view.steps % 3 else 0)]
    protocol, adversary = PROTOCOLS[place], adversaries[place % 4]
    for sites, items, start in ((3, 900, 0), (1, 1, 0), (5, 300, 400)):
        plain = play(protocol, adversary, sites=sites, items=items, start=start, seed=5, record=True, engine="step")
        assert (plain.max_lag_error, plain.max_lag) == (plain.max_rel_error, 0)
        for engine in ("step", "leap"):
            game = play(
                protocol, adversary, sites=sites, items=items, start=start, seed=5, record=True, engine=engine,
                network=_NoDelay(),
            )  # fmt: skip
            assert game.transcript.equals(plain.transcript)
            assert game.outputs.equals(plain.outputs)
            assert game.row() == {**plain.row(), "seconds": game.seconds, "engine": engine}


@dataclass(frozen=True)
class Promising(Deterministic):
    """Judged by a promise of its own."""

    promise: float = 0.1

    @property
    def accuracy(self) -> float | None:
        return self.promise


@pytest.mark.parametrize(
    ("engine", "latency", "alpha"),
    [
        ("step", Latency(constant=5), 0.02),
        ("leap", Latency(constant=5), 0.02),
        ("step", Latency(mean=4.0), 0.3),
        ("leap", Latency(lognormal=(3, 1.5)), 0.02),
    ],
    ids=str,
)
def test_a_game_against_its_transcript(
    engine: str, latency: Latency, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sites of `deterministic` answer nothing: a chain is one message, and its window opens when it is sent."""
    ways: list[tuple[int, int]] = []
    arrivals = Wires.arrivals

    def noting(wires: Wires, site: int, up: bool, now: int) -> tuple[int, ...]:
        arrived = arrivals(wires, site, up, now)
        ways.append((now, *arrived))
        return arrived

    monkeypatch.setattr(Wires, "arrivals", noting)
    for _ in range(2):  # before the first of them engines are compared
        ways.clear()
        game = play(
            Promising(0.1, promise=alpha), Uniform(), sites=4, items=400, seed=2, network=latency, record=True,
            engine=engine,
        )  # fmt: skip
    outputs = dict(game.outputs.itertuples(index=False, name=None))
    worst, failing, lag, output = Fraction(0), 0, 0, 0
    for step in range(1, 401):
        output = outputs.get(step, output)
        sent = min((sent for sent, arrival in ways if sent <= step < arrival), default=step + 1)
        found = error(output, sent - 1, step)
        worst, lag = max(worst, found), max(lag, step - sent + 1)
        failing += found > Fraction(str(alpha))
    assert len(ways) > 100
    assert game.max_lag_error == pytest.approx(float(worst), rel=1e-12)
    assert (game.failing_fraction, game.max_lag) == (failing / 400, lag)
    assert (failing > 0) == (alpha == 0.02)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([Latency(constant=1), Latency(constant=30), Latency(mean=20.0), Latency(uniform=(0, 50))]),
    st.sampled_from(["step", "leap"]),
    st.integers(0, 10**6),
    st.integers(1, 6),
)
def test_what_is_always_right_stays_right_for_what_it_can_know(
    latency: Latency, engine: str, seed: int, sites: int
) -> None:
    """docs/game.md proves it: the sum of reports lies between the reports of the oldest open chain and those of now."""
    for protocol in (Exact(), Deterministic(alpha=0.1), DeterministicRounds(alpha=0.1)):
        game = play(protocol, Uniform(), sites=sites, items=400, seed=seed, network=latency, engine=engine)
        assert game.ok
        assert game.max_lag_error <= game.alpha
        assert game.max_rel_error == 1.0  # the first item is not known in its own step
        assert game.max_lag >= 1


def test_the_warm_up_is_left_out_of_the_verdict_only() -> None:
    games = [
        play(Late(), RoundRobin(), sites=2, items=100, network={"latency": 3, "warm_up": warm_up}, engine="step")
        for warm_up in (0, 8, 9, 10**6)
    ]
    assert [game.verdict for game in games] == ["failed", "failed", "ok", "undecided"]
    assert games[1].max_lag_error == 1.0
    assert games[2].max_lag_error == 0.0 == games[3].max_lag_error
    assert {game.max_rel_error for game in games} == {1.0}


class Late(Exact):
    """Says nothing of what it has heard until ten items have come to it, and is exact from then on."""

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
        inner = super().server(k, rng, start)

        class Server(type(inner)):  # type: ignore[misc]
            def hear(self, sender: int, message: Any) -> Any:
                self.heard = getattr(self, "heard", 0) + 1
                if self.heard >= 7:
                    self.output = self.heard
                return ()

        return Server([0] * k)


class Ordering(Server):
    """Sends an order to site 0 when that speaks."""

    output = 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return () if sender else ((0, Message("order")),)


class Listening(Ends):
    """The least that a network needs of an engine."""

    def __init__(self, network: Network) -> None:
        self.env, self.ledger = simpy.Environment(), Ledger(3, 100)
        self.sites, self.server = [Exact().sites(1, None)[0]] * 3, Ordering()
        self.mail = Mail(self, network, None, Receivers(self.sites, self.server))

    def items_before(self) -> int:
        return self.mail.now - 1

    def send_up(self, site: int, messages: Sequence[Message]) -> None:
        for message in messages:
            self.mail.post(message, site, True)

    def send_down(self, messages: Sequence[tuple[int, Message]]) -> None:
        for site, message in messages:
            self.mail.post(message, site, False)

    def deliver(self, letter: Letter) -> None:
        if letter.up:
            self.send_down(self.mail.receivers.server_hears(letter))
        self.mail.end(letter)


def test_what_the_server_sends_belongs_to_the_oldest_open_chain() -> None:
    """Site 2 has spoken in step 1, and is heard in step 31. What the server says in step 6 may be due to that."""
    network = Network(Latency(constant=1), latency_down=Latency(constant=40), far=("2", Latency(constant=30)))
    ends = Listening(network)
    env, mail = ends.env, ends.mail

    def feed() -> Any:
        yield env.timeout(1)
        ends.send_up(2, [Message("late")])
        yield env.timeout(4)
        ends.send_up(0, [Message("early")])

    env.process(feed())
    oldest = []
    for step in (3, 10, 35, 50):
        env.run(until=step)
        oldest.append(mail.voyages.oldest)
    assert oldest == [Origin(1, 0), Origin(1, 0), Origin(1, 0), None]
