"""The martingale tracker with tight constants: what is said, what the sites know, and delays."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest

from disttrack.adversaries import Freeze, RoundRobin, SingleSite, Uniform
from disttrack.protocols import Martingale, Randomized
from disttrack.protocols.base import EVERYONE, Message
from disttrack.protocols.rounds.coin_rounds import bias, first_round, share_of, signals_of
from disttrack.protocols.rounds.crossing import failure
from disttrack.protocols.rounds.parts import BIT
from disttrack.protocols.rounds.rules import CoinRule
from disttrack.protocols.rounds.walk import walk_of
from disttrack.simulator import Game, play


def kinds(game: Game) -> dict[str, int]:
    return {f"{row.kind} {row.direction}": int(row.messages) for row in game.kinds.itertuples()}


@pytest.mark.parametrize("engine", ["leap", "bulk"])
@pytest.mark.parametrize(("k", "start"), [(1, 0), (7, 0), (64, 0), (64, 10**4)])
def test_a_round_costs_its_signals_and_2k(k: int, start: int, engine: str) -> None:
    """The first round alone is announced, and not even that where the start is known."""
    game = play(Martingale(alpha=0.1), RoundRobin(), sites=k, items=400_000, start=start, seed=3, engine=engine)
    found = kinds(game)
    polls = game.rounds - 1
    assert polls >= 3
    assert found["poll down"] == found["count up"] == polls * k
    assert found.get("round down", 0) == (0 if start else k)
    assert found.get("item up", 0) == (0 if start else first_round(k, 0.1, 0.05))
    assert game.words == sum(found.values())
    assert game.output_changes >= found["bit up"]


@pytest.mark.parametrize("start", [0, 4_000])
def test_the_server_alone_knows_the_count(start: int) -> None:
    """Played by hand, with Freeze's moves: the poll says what the output was, the sites toss with the p for that.

    The server's output after the answers is exact, and it awaits as many signals as are safe from there.
    """
    k, protocol = 9, Martingale(alpha=0.2)
    rng = np.random.default_rng(4)
    begun = ([start // k + (site < start % k) for site in range(k)],) if start else ()
    crowd, server = protocol.sites(k, rng, *begun), protocol.server(k, rng, *begun)
    items, polls, site = start, 0, 0
    while polls < 8:
        items += 1
        said = crowd[site].take(1)
        before = server.base + server.unit * (server.signals + 1)
        down = [pair for message in said for pair in server.hear(site, message)]
        site = (site + len(said)) % k
        for receiver, message in down:
            assert receiver == EVERYONE
            answers = [(one, answer) for one in range(k) for answer in crowd[one].hear(message)]
            if message.kind == "round":
                assert message.value == items
                continue
            polls += 1
            assert message == Message("poll", round(before))
            assert len(answers) == k
            for one, answer in answers:
                assert not server.hear(one, answer)
            assert server.base == server.output == items
            share = share_of(k, 0.2, 0.05, server.rounds)
            p = bias(k, 0.2, share, message.value, exact=False)
            assert {one.rule.p for one in crowd} == {server.rule.p} == {p}
            assert server.unit == 1 / p
            assert server.limit == signals_of(k, 0.2, share, items, p)
            assert failure(walk_of(0.2, items, p), server.limit) <= share
        assert {one.round for one in crowd} == {server.rounds}
    assert server.rounds >= polls


def test_signals_of_the_next_round_may_come_before_the_last_answer() -> None:
    """On delayed channels a site that has answered is in the next round, one that has not is in the old one still."""
    protocol, begun = Martingale(alpha=0.3, delta=0.5), [300, 300, 300]
    server = protocol.server(3, np.random.default_rng(1), begun)
    while not (said := server.hear(0, BIT)):
        pass
    ((_, poll),) = said
    assert poll.kind == "poll"
    assert not server.hear(1, BIT)  # of the old round: it is in the count of site 1
    assert not server.hear(0, Message("count", 400))
    assert not server.hear(0, BIT)  # of the new round
    assert not server.hear(1, BIT)  # still of the old one
    assert not server.hear(2, Message("count", 100))
    assert not server.hear(2, BIT)  # of the new round
    assert not server.hear(1, Message("count", 200))
    assert server.base == 1600
    assert server.signals == 2
    assert server.limit > 2
    assert server.output == pytest.approx(1600 + 2 * server.unit)


@pytest.mark.parametrize("engine", ["step", "leap", "bulk"])
@pytest.mark.parametrize("delta", [0.05, 0.99])
@pytest.mark.parametrize(("k", "start"), [(1, 0), (5, 0), (5, 100)])
def test_every_step_of_every_round_is_by_the_rules(k: int, start: int, delta: float, engine: str) -> None:
    """From the first item on: what stands after each signal, that the last is polled at once, and what is then known.

    A round without a signal is one that is polled as it begins.
    """
    protocol = Martingale(alpha=0.4, delta=delta)
    game = play(protocol, Uniform(), sites=k, items=4_000, start=start, seed=7, engine=engine, record=True)
    table = game.transcript[game.transcript["receiver"].isin(["server", 0])]
    outputs = game.outputs.set_index("step")["output"].map(float).to_dict()
    number, told, base, heard, first = (1 if start else 0), start, start, 0, first_round(k, 0.4, delta)
    for row in table.itertuples():
        if row.kind == "item":
            assert number == 0
            assert outputs[row.step] == row.step
        elif row.kind == "round":
            assert (number, row.step) == (0, first)
            number, told, base = 1, first, first
        elif row.kind == "bit":
            heard += 1
            share = share_of(k, 0.4, delta, number)
            p = bias(k, 0.4, share, told, exact=number == 1)
            limit = signals_of(k, 0.4, share, base, p)
            assert heard <= limit
            if heard < limit:
                assert outputs[row.step] == pytest.approx(base + heard / p)
            last = row.step, round(base + heard / p)
        elif row.kind == "poll":
            told = last[1] if heard else base
            assert not heard or (row.step, heard) == (last[0], limit)
            number, base, heard = number + 1, start + row.step, 0
            assert outputs[row.step] == base
    assert number == game.rounds >= 4


def test_one_site_and_one_item() -> None:
    for engine in ("step", "leap", "bulk"):
        for start in (0, 10**9):
            game = play(Martingale(alpha=0.3), SingleSite(), sites=1, items=1, start=start, engine=engine)
            assert game.ok
            assert game.words <= 1


@pytest.mark.parametrize("engine", ["leap", "bulk"])
def test_delta_near_one(engine: str) -> None:
    """Few signals a round at k = 1, and rounds polled as they begin at alpha near 1: every game comes to its end."""
    for alpha, k in ((0.95, 1), (0.9, 5), (0.2, 2)):
        game = play(Martingale(alpha=alpha, delta=0.99), Uniform(), sites=k, items=10**6, seed=2, engine=engine)
        assert game.items == 10**6
        assert game.rounds > 3


def test_a_round_longer_than_any_game() -> None:
    """With many sites a round grows N tenfold and more: its signals would come later than 2^63."""
    game = play(
        Martingale(alpha=0.1), RoundRobin(), sites=2**14, items=2**61 - 10**18, start=10**18, seed=1, engine="bulk"
    )
    assert game.ok
    assert game.words < 2**14


def test_strength_is_of_simple_only() -> None:
    assert Martingale(alpha=0.1, parameters="simple", strength=4.0).strength_of(7, 256) == 4.0
    with pytest.raises(ValueError, match=r"strength is for parameters: simple only; got 4.0 with tight"):
        Martingale(alpha=0.1, strength=4.0)
    with pytest.raises(ValueError, match=r"parameters must be tight or simple; got 'paper'"):
        Martingale(alpha=0.1, parameters="paper")


def test_simple_announces_each_round() -> None:
    game = play(Martingale(alpha=0.1, parameters="simple"), Freeze(), sites=16, items=100_000, start=5_000, seed=1)
    found = kinds(game)
    assert found["round down"] == found["poll down"] == found["count up"] == 16 * (game.rounds - 1) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "alpha", "most"),
    [(256, 1 / 16, 0.55), (1024, 1 / 32, 0.55), (4096, 1 / 64, 0.55), (65_536, 1 / 256, 0.55), (64, 0.03, 0.6)],
)
def test_words_against_simple(k: int, alpha: float, most: float) -> None:
    """Growth by e^16: at most 0.55 times the words of `simple` wherever alpha = 1/sqrt k from 256 sites on."""
    options: dict[str, Any] = {"sites": k, "start": 10**8, "items": 9 * 10**14, "seed": 5, "engine": "bulk"}
    tight, simple = (
        play(Martingale(alpha=alpha, parameters=constants), RoundRobin(), **options)
        for constants in ("tight", "simple")
    )
    assert tight.ok
    assert tight.words < most * simple.words


@pytest.mark.slow
def test_words_against_randomized() -> None:
    """k = 65,536 and alpha = 1/256, growth by e^16: at most 0.75 times the words of what is not robust (c = 3)."""
    options: dict[str, Any] = {"sites": 65_536, "start": 10**8, "items": 9 * 10**14, "seed": 6, "engine": "bulk"}
    tight, randomized = (
        play(protocol, RoundRobin(), **options) for protocol in (Martingale(alpha=1 / 256), Randomized(alpha=1 / 256))
    )
    assert tight.words < 0.75 * randomized.words
    assert tight.words / log(9 * 10**6) > 65_536


def test_the_first_round_begins_with_the_exact_count_and_later_ones_do_not() -> None:
    """p of a round begun with a number known exactly, or estimated; the first only where it is worth its poll."""
    k, rule_of = 64, Martingale(alpha=0.1).rules(64, np.random.default_rng(0))
    worth = first_round(k, 0.1, 0.05)
    assert rule_of(1, worth - 1) is None
    for number, total in ((1, worth), (1, 50 * worth), (2, 50 * worth), (7, 50 * worth)):
        share = share_of(k, 0.1, 0.05, number)
        rule = rule_of(number, total)
        assert isinstance(rule, CoinRule)
        assert rule.p == bias(k, 0.1, share, total, exact=number == 1)
        assert rule.p != bias(k, 0.1, share, total, exact=number != 1)
    assert rule_of(2, worth - 1) is not None
