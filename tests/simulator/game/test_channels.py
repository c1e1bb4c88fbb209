"""The channels: nothing is lost, nothing overtakes, everything is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scripted_protocol import Scripted

from disttrack.adversaries import SingleSite, Uniform
from disttrack.protocols import Protocol
from disttrack.protocols.base import Message, Server, Site
from disttrack.simulator import play
from disttrack.simulator.errors import PartError
from disttrack.simulator.game.network import Latency

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

    def silence(self) -> int:
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
    for _ in range(2):  # before the first of them engines are compared
        SEEN.clear()
        play(Numbered(), Uniform(), sites=5, items=400, seed=3, engine=engine, network=Latency(mean=8.0))
    assert 300 < len(SEEN) <= 400
    for site in range(5):
        mine = [number for sender, number in SEEN if sender == site]
        assert mine == list(range(1, len(mine) + 1))


# ---------------------------------------------------------------------- words that are none

NO_WORDS: list[Any] = [0, -300_000, float("nan"), 1.0, True, "one", np.int64(0)]
WAYS: list[dict[str, Any]] = [
    {"engine": "step"},
    {"engine": "leap"},
    {"engine": "leap", "network": Latency(constant=2)},
]


@pytest.mark.parametrize("words", NO_WORDS, ids=repr)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_message_of_no_words_is_refused_where_it_is_sent(way: dict[str, Any], words: Any) -> None:
    with pytest.raises(PartError) as refusal:
        play(Scripted(words=words), Uniform(), sites=3, items=20, **way)
    shown = words.item() if isinstance(words, np.generic) else words
    assert f"sends a message 'item' of {shown!r} words; accepted: a whole number" in str(refusal.value)
    assert "scripted_protocol.py:" in str(refusal.value)


@pytest.mark.parametrize(("words", "way"), list(zip([0, 1.0, "one"], WAYS, strict=True)), ids=str)
@pytest.mark.parametrize("answers", ["to one", "to all"])
def test_the_server_is_refused_too(way: dict[str, Any], answers: str, words: Any) -> None:
    said = (words,) if answers == "to one" else (1, words)
    with pytest.raises(PartError) as refusal:
        play(Scripted(answers=said), Uniform(), sites=3, items=20, **way)
    refused = f"protocol scripted: the server sends a message 'answer' of {words!r} words; accepted: a whole number"
    assert str(refusal.value).startswith(refused)
    assert "scripted_protocol.py:" in str(refusal.value)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_whole_numbers_of_words_are_taken_whatever_their_type(way: dict[str, Any]) -> None:
    games = [
        play(Scripted(words=words), Uniform(), sites=3, items=20, **way) for words in (3, np.int64(3), np.uint8(3))
    ]
    assert [game.words for game in games] == [60] * 3
    assert {type(game.words) for game in games} == {int}


def test_on_error_record_costs_the_game_its_verdict() -> None:
    game = play(Scripted(words=0), Uniform(), sites=3, items=20, on_error="record")
    assert (game.verdict, game.error.partition(":")[0]) == ("error", "PartError")


class BehindSite(NumberedSite):
    def silence(self) -> int:
        return -1


class Behind(Numbered):
    """Its sites state a silence below 0."""

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [BehindSite() for _ in range(k)]


def test_a_silence_below_nothing_is_an_error_and_not_endless() -> None:
    said = "BehindSite.silence must return a whole number of items, at least 0, or FOREVER; got -1"
    with pytest.raises(PartError, match=said):
        play(Behind(), SingleSite(), sites=2, items=50, engine="leap")
