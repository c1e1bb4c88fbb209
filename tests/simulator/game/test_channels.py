"""The channels: nothing is lost, nothing overtakes, everything is counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_protocol import Scripted

from disttrack.adversaries import Uniform
from disttrack.protocols import Protocol
from disttrack.protocols.base import EVERYONE, Message, Server, Site
from disttrack.simulator import play
from disttrack.simulator.errors import MessageError
from disttrack.simulator.game.channels import Channels
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.network.channels import Hooks, NetworkChannels
from disttrack.simulator.game.network.wires import Wires


class Listener(Site):
    """Writes down what it hears; answers a question with its number."""

    def __init__(self, number: int, log: list[Any]) -> None:
        self.number = number
        self.log = log

    def quota(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        return ()

    def hear(self, message: Message) -> Sequence[Message]:
        self.log.append((self.number, message.kind))
        return (Message("answer", self.number),) if message.kind == "question" else ()


class Questioner(Server):
    """Says what its script says to a first message; writes down all that it hears."""

    output = 0

    def __init__(self, script: Sequence[tuple[int, Message]], log: list[Any]) -> None:
        self.script = list(script)
        self.log = log

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.log.append(("server", sender, message.kind))
        said, self.script = self.script, []
        return said


def instant(k: int, script: Sequence[tuple[int, Message]]) -> tuple[Channels, Ledger, list[Any], list[int]]:
    log: list[Any] = []
    synced: list[int] = []
    ledger = Ledger(k, 100)
    sites = [Listener(number, log) for number in range(k)]
    return Channels(sites, Questioner(script, log), ledger, lambda: 7, synced.append, []), ledger, log, synced


def test_a_broadcast_reaches_everybody_in_order_and_costs_k_messages() -> None:
    channels, ledger, log, synced = instant(3, [(EVERYONE, Message("question"))])
    channels.send_up(1, [Message("hello")])
    assert log == [
        ("server", 1, "hello"),
        *[(site, "question") for site in range(3)],
        *[("server", site, "answer") for site in range(3)],
    ]
    assert synced == [0, 1, 2] == channels.touched
    assert (ledger.words_up, ledger.words_down, ledger.broadcasts) == (4, 3, 1)
    assert isinstance(channels.transcript, list)
    assert [row[1:4] for row in channels.transcript] == [
        (1, "server", "hello"),
        *[("server", site, "question") for site in range(3)],
        *[(site, "server", "answer") for site in range(3)],
    ]
    assert {row[0] for row in channels.transcript} == {7}


def test_first_in_first_out_until_all_is_quiet() -> None:
    """Answers are heard after everything that was sent before them."""
    script = [(2, Message("question")), (0, Message("note")), (EVERYONE, Message("note"))]
    channels, ledger, log, _ = instant(3, script)
    channels.send_up(0, [Message("one"), Message("two")])
    assert log == [
        ("server", 0, "one"),
        ("server", 0, "two"),
        (2, "question"),
        (0, "note"),
        (0, "note"),
        (1, "note"),
        (2, "note"),
        ("server", 2, "answer"),
    ]
    assert ledger.broadcasts == 1
    assert ledger.messages == 2 + 2 + 3 + 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30),
    st.lists(st.integers(0, 9), min_size=1, max_size=40),
)
def test_on_delayed_channels_nothing_overtakes(sent: list[tuple[int, int]], delays: list[int]) -> None:
    """Arrival is the time of sending plus the delay, but never before an earlier message of the same channel."""
    env = simpy.Environment()
    heard: list[tuple[int, int, str]] = []

    class Recorder(Server):
        output = 0

        def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
            heard.append((int(env.now), sender, message.kind))
            return ()

    place = iter(range(10**6))

    def delay() -> int:
        return delays[next(place) % len(delays)]

    log: list[Any] = []

    class Given(Latency):
        def sampler(self, rng: Any) -> Callable[[], int]:
            return delay

    hooks = Hooks(lambda site: None, lambda: 0, lambda: None, lambda site: None, lambda: None)
    sites = [Listener(number, log) for number in range(3)]
    wires = Wires(Network(Given(constant=1)), 3, None)
    channels = NetworkChannels(sites, Recorder(), Ledger(3, 100), None, env, wires, hooks)
    expected, last = [], [0] * 3
    now = 0

    def feed() -> Any:
        nonlocal now
        for number, (wait, site) in enumerate(sent):
            if wait:
                yield env.timeout(wait)
            now += wait
            last[site] = max(last[site], now + delays[number % len(delays)])
            expected.append((last[site], site, f"m{number}"))
            channels.send_up(site, [Message(f"m{number}")])

    env.process(feed())
    env.run(until=10**4)
    assert sorted(heard) == sorted(expected)
    for site in range(3):
        numbers = [int(kind[1:]) for _, sender, kind in heard if sender == site]
        assert numbers == sorted(numbers)


SEEN: list[tuple[int, int]] = []


@dataclass(frozen=True)
class Numbered(Protocol):
    """Every item is sent with the number it has at its site."""

    kind: ClassVar[str] = "numbered"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [NumberedSite() for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return NumberedServer()


class NumberedSite(Site):
    def __init__(self) -> None:
        self.count = 0

    def quota(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        self.count += items
        return (Message("item", self.count),)

    def hear(self, message: Message) -> Sequence[Message]:
        return ()


class NumberedServer(Server):
    def __init__(self) -> None:
        self.output = 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        SEEN.append((sender, message.value))
        self.output += 1
        return ()


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_in_a_game_with_random_delays_sites_overtake_each_other_but_never_themselves(engine: str) -> None:
    SEEN.clear()
    play(Numbered(), Uniform(), sites=5, items=400, seed=3, engine=engine, network=Latency(mean=8.0))
    assert 300 < len(SEEN) <= 400
    for site in range(5):
        mine = [number for sender, number in SEEN if sender == site]
        assert mine == list(range(1, len(mine) + 1))


# ---------------------------------------------------------------------- words that are none

NO_WORDS: list[Any] = [
    0, -1, -300_000, float("nan"), float("inf"), 0.5, 1.0, True, "one", None, np.float64(2), np.int64(0),
]  # fmt: skip
WAYS: list[dict[str, Any]] = [
    {"engine": "step"},
    {"engine": "leap"},
    {"engine": "leap", "network": Latency(constant=2)},
]


@pytest.mark.parametrize("words", NO_WORDS, ids=repr)
@pytest.mark.parametrize("way", [*WAYS, {"engine": "bulk"}], ids=str)
def test_a_message_of_no_words_is_refused_where_it_is_sent(way: dict[str, Any], words: Any) -> None:
    who = "every site" if way["engine"] == "bulk" else "site 0"
    with pytest.raises(MessageError) as refusal:
        play(Scripted(words=words), Uniform() if who == "every site" else lambda view: 0, sites=3, items=20, **way)
    assert str(refusal.value) == (
        f"protocol scripted: {who} sends a message 'item' of {words!r} words; accepted: a whole number of at least 1"
    )


@pytest.mark.parametrize("words", NO_WORDS, ids=repr)
@pytest.mark.parametrize("answers", ["to one", "to all"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_server_is_refused_too(way: dict[str, Any], answers: str, words: Any) -> None:
    said = (words,) if answers == "to one" else (1, words)
    with pytest.raises(MessageError) as refusal:
        play(Scripted(answers=said), Uniform(), sites=3, items=20, **way)
    assert str(refusal.value) == (
        f"protocol scripted: the server sends a message 'answer' of {words!r} words; "
        "accepted: a whole number of at least 1"
    )


@pytest.mark.parametrize("way", [*WAYS, {"engine": "bulk"}], ids=str)
def test_whole_numbers_of_words_are_taken_whatever_their_type(way: dict[str, Any]) -> None:
    games = [
        play(Scripted(words=words), Uniform(), sites=3, items=20, **way) for words in (3, np.int64(3), np.uint8(3))
    ]
    assert [game.words for game in games] == [60] * 3
    assert {type(game.words) for game in games} == {int}


def test_words_of_every_way_of_a_message_are_added_up() -> None:
    """Up unasked 1 + 3 + 5 + 5, down to one 4, down to all three 2 each and 1 each, and four answers of one word."""
    script = [(0, Message("question", 1, 4)), (EVERYONE, Message("question", 1, 2)), (EVERYONE, Message("note", 1))]
    channels, ledger, _, _ = instant(3, script)
    channels.send_up(2, [Message("one", 1), Message("several", 1, 3), *[Message("several", None, 5)] * 2])
    assert {(row["kind"], row["direction"]): (row["messages"], row["words"]) for row in ledger.rows()} == {
        ("one", "up"): (1, 1),
        ("several", "up"): (3, 13),
        ("question", "down"): (4, 10),
        ("note", "down"): (3, 3),
        ("answer", "up"): (4, 4),
    }
    assert (ledger.words_up, ledger.words_down, ledger.words, ledger.messages) == (18, 13, 31, 15)
    assert (ledger.up_sites, ledger.down_sites, ledger.broadcasts) == ([2, 1, 5], [3, 2, 2], 2)
    assert isinstance(channels.transcript, list)
    assert sum(row[4] for row in channels.transcript) == 31
    # 7 bits a word of up to 100 items, and a bit a message without a value; the ledger takes it for a word of many
    assert [row[5] for row in channels.transcript if row[3] == "several"] == [21, 1, 1]
    assert {row[5] for row in channels.transcript if row[3] == "question"} == {28, 14}
    assert ledger.total_bits == (31 - 2) * 7 + 2


def test_on_error_record_does_not_hide_it() -> None:
    with pytest.raises(MessageError):
        play(Scripted(words=0), Uniform(), sites=3, items=20, on_error="record")
