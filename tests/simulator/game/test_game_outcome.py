"""Whether chance had a part, what messages cost, and what comes of a game: each by itself."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from disttrack.adversaries import Freeze, Replay, RoundRobin, Uniform
from disttrack.adversaries.base import Choice
from disttrack.protocols import Deterministic, Exact, Randomized
from disttrack.protocols.base import FOREVER, Message
from disttrack.simulator import play
from disttrack.simulator.errors import MessageError
from disttrack.simulator.game.channels import SERVER, Channels
from disttrack.simulator.game.coins import chance_had_a_part
from disttrack.simulator.game.collector import collector_paused
from disttrack.simulator.game.engines.watch import Watch, watches
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.streams import streams
from tests.simulator.game.test_game_parts import Spy, line_of

# ---------------------------------------------------------------------- chance


class _Own(Freeze):
    __module__ = "mine"


class _OwnWithoutCoins(_Own):
    __module__ = "mine"
    draws_coins: ClassVar[bool] = False


class _OwnProtocol(Exact):
    __module__ = "mine"


def test_whether_chance_had_a_part() -> None:
    def game(protocol: Any, draws: str = "") -> Any:
        rngs = streams(1)
        if draws:
            rngs[draws].random()
        return SimpleNamespace(protocol=protocol, rngs=rngs)

    assert not chance_had_a_part(game(Exact()), Freeze())
    for role in ("sites", "server", "adversary", "network"):
        assert chance_had_a_part(game(Exact(), role), Freeze())
    assert chance_had_a_part(game(Exact()), Replay(of="freeze"))
    assert chance_had_a_part(game(Exact()), _Own())
    assert not chance_had_a_part(game(Exact()), _OwnWithoutCoins())
    assert chance_had_a_part(game(_OwnProtocol()), Freeze())
    assert chance_had_a_part(game(Exact()), Choice(len))


def test_the_collector_rests_in_the_block_only() -> None:
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


# ---------------------------------------------------------------------- messages


@pytest.mark.parametrize(
    ("send", "who"),
    [
        (lambda ledger, message: ledger.count_up(2, message), "site 2"),
        (lambda ledger, message: ledger.count_down(2, message), "the server"),
        (lambda ledger, message: ledger.count_many_up(message, 3), "every site"),
        (lambda ledger, message: ledger.count_broadcast(message, 3), "the server"),
    ],
)
@pytest.mark.parametrize("words", [0, -1, 1.5, True, None])
def test_messages_of_no_words_are_refused(send: Any, who: str, words: Any) -> None:
    ledger = Ledger(3, 10, "p")
    said = line_of(MessageError, send, ledger, Message("m", 1, words))
    assert said == f"protocol p: {who} sends a message 'm' of {words!r} words; accepted: a whole number of at least 1"
    assert (ledger.messages, ledger.words) == (0, 0)


def test_what_links_add_is_apart_and_comes_last() -> None:
    ledger = Ledger(2, 7)
    ledger.count_up(0, Message("m", 5, np.int64(3)))  # type: ignore[arg-type]
    ledger.count_up(1, Message("a"))
    ledger.count_link("ack", True, 2, 5)
    ledger.count_link("number", False, 0, 4)
    ledger.count_link("number", False, 0, 4)
    assert (ledger.messages, ledger.words, ledger.total_bits, ledger.word_bits) == (2, 4, 10, 3)
    assert (ledger.messages_link, ledger.words_link) == (2, 13)
    assert [tuple(row.values()) for row in ledger.rows()] == [
        ("a", "up", 1, 1, 1), ("m", "up", 1, 3, 9), ("ack", "up", 2, 5, 15), ("number", "down", 0, 8, 24),
    ]  # fmt: skip
    assert list(ledger.rows()[0]) == ["kind", "direction", "messages", "words", "bits"]


def test_what_stands_in_a_transcript() -> None:
    rows: list[Any] = []
    silent = SimpleNamespace(hear=lambda *_: ())
    channels = Channels([silent] * 2, silent, Ledger(2, 7), lambda: 5, lambda _: None, rows)  # type: ignore[list-item,arg-type]
    channels.note(1, SERVER, Message("m", 4, 2))
    channels.note(SERVER, 0, Message("s"))
    assert rows == [(5, 1, "server", "m", 2, 6), (5, "server", 0, "s", 1, 1)]


def test_a_watch_keeps_what_is_fresh() -> None:
    kept: list[Any] = []
    calls: list[int] = []
    watch = Watch("traffic", kept, lambda site: site, lambda: calls.append(1))
    row = (5, 1, "server", "m", 2, 6)
    watch.append(row)
    assert (kept, [tuple(one) for one in watch.fresh], calls) == ([row], [row[:4]], [1])
    blind = Watch("state", None, lambda site: site, lambda: None)
    blind.append(row)
    assert len(blind.fresh) == 1
    assert (watches(Freeze()), watches(Spy()), watches(RoundRobin())) == (False, True, False)

    class Fixed(RoundRobin):
        sees: ClassVar[Any] = "state"

    assert not watches(Fixed())


# ---------------------------------------------------------------------- what comes of it


class _Unmade(Deterministic):
    kind: ClassVar[str] = ""

    def server(self, *args: Any, **keys: Any) -> Any:
        raise RuntimeError("no server")


def test_a_game_whose_parts_could_not_be_made() -> None:
    game = play(_Unmade(0.1), Uniform(), sites=3, items=10, start=4, seed=7, on_error="record")
    zeros = ("items", "output_changes", "rounds", "messages", "words", "words_up", "words_down", "bits", "broadcasts",
             "max_rel_error", "highest", "lowest", "failing_fraction", "steps", "max_lag", "max_lag_error", "lost",
             "restarts", "messages_link", "words_link")  # fmt: skip
    assert {getattr(game, name) for name in zeros} == {0}
    assert (game.protocol, game.adversary, game.verdict, game.ok) == ("_Unmade", "uniform", "error", False)
    assert (game.sites, game.start, game.seed, game.alpha, game.first_failure) == (3, 4, 7, 0.1, None)
    assert game.error is not None
    assert game.error.endswith("RuntimeError: no server\n")
    assert 0 < game.seconds < 60
    with pytest.raises(RuntimeError, match="no server"):
        play(_Unmade(0.1), Uniform(), sites=3, items=10)


class _Wrong(Exact):
    """Promises what it does not keep: nothing is ever told."""

    kind: ClassVar[str] = ""
    accuracy: ClassVar[Any] = 0.1

    def sites(self, k: int, rng: Any, counts: Any = None) -> Any:
        silent = SimpleNamespace(quota=lambda: FOREVER, take=lambda _: (), hear=lambda _: ())
        return [silent for _ in range(k)]


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_a_game_that_fails(engine: str) -> None:
    game = play(_Wrong(), RoundRobin(), sites=2, items=20, start=10, engine=engine, record=True)
    # 10 stand against 11, 12, …: wrong from 12 on
    assert (game.verdict, game.first_failure, game.first_failing_step, game.steps) == ("failed", 12, 2, 20)
    assert (game.failing_fraction, game.items, game.alpha) == (19 / 20, 20, 0.1)
    assert (game.max_rel_error, game.highest, game.lowest) == pytest.approx((2 / 3, -1 / 11, -2 / 3))
    assert (game.max_lag_error, game.max_lag, game.lost, game.coins) == (game.max_rel_error, 0, 0, True)
    assert (game.link_factor, game.engine, game.engine_reason) == (1.0, engine, "asked for")
    assert game.turns.columns.tolist() == ["step", "sent", "output", "changes", "plan"]
    late = play(_Wrong(), RoundRobin(), sites=2, items=20, start=10, engine=engine, network=Network(Latency(1), 5))
    assert (late.first_failure, late.first_failing_step, late.failing_fraction) == (16, 6, 15 / 20)


def test_a_seed_that_is_given_is_the_one_that_is_played() -> None:
    one, two, other = (play(Randomized(0.1), Uniform(), sites=9, items=3000, seed=seed) for seed in (3, 3, 4))
    assert (one.words, one.seed, one.coins) == (two.words, 3, True)
    assert one.words != other.words
    nothing = play(Deterministic(0.1), RoundRobin(), sites=2, items=0)
    assert (nothing.items, nothing.steps, nothing.verdict, nothing.coins) == (0, 0, "ok", False)
    with pytest.raises(ValueError, match=r"^nothing was recorded: play with record=True$"):
        _ = one.transcript
