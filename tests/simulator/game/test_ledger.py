"""The ledger adds up: by kind, by direction, in messages, words and bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_protocol import Scripted

from disttrack.adversaries import Uniform
from disttrack.protocols.base import Message
from disttrack.simulator import play
from disttrack.simulator.errors import PartError
from disttrack.simulator.game.ledger import Ledger

SITES = 4
messages = st.builds(
    Message, st.sampled_from(["a", "b", "c"]), st.sampled_from([None, 0, 7, (1, 2)]), st.integers(1, 3)
)


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10**12),
    st.lists(st.tuples(st.sampled_from(["up", "down", "many", "all"]), st.integers(0, SITES - 1), messages)),
)
def test_every_message_is_counted_once(items: int, sent: list[tuple[str, int, Message]]) -> None:
    ledger = Ledger(SITES, items)
    told: list[tuple[str, Message]] = []
    broadcasts = 0
    for way, site, message in sent:
        if way == "up":
            ledger.count_up(site, message)
            told.append(("up", message))
        elif way == "down":
            ledger.count_down(site, message)
            told.append(("down", message))
        elif way == "many":
            ledger.count_many_up(message, site)
            told.extend([("up", message)] * site)
        else:
            ledger.count_broadcast(message, SITES)
            told.extend([("down", message)] * SITES)
            broadcasts += 1
    word = max(1, len(f"{items:b}") if items else 1)  # ceil(log2(items + 1))

    def bits(message: Message) -> int:
        return 1 if message.value is None and message.words == 1 else message.words * word

    assert ledger.messages == len(told)
    assert ledger.words_up == sum(message.words for way, message in told if way == "up")
    assert ledger.words_down == sum(message.words for way, message in told if way == "down")
    assert ledger.words == ledger.words_up + ledger.words_down
    assert ledger.broadcasts == broadcasts
    if all(message.value is not None or message.words == 1 for _, message in told):
        assert ledger.bits == sum(bits(message) for _, message in told)
    rows = ledger.rows()
    assert len({(row.kind, row.direction) for row in rows}) == len(rows)
    for row in rows:
        mine = [m for way, m in told if (way, m.kind) == (row.direction, row.kind)]
        assert row.messages == len(mine)
        assert row.words == sum(message.words for message in mine)
    assert sum(row.bits for row in rows) == ledger.bits


def test_a_word_has_as_many_bits_as_the_largest_count() -> None:
    """ceil(log2(items + 1)): 1 item 1 bit, 3 items 2 bits, 4 items 3 bits; at least one bit."""
    assert [Ledger(1, items).word_bits for items in (0, 1, 3, 4, 255, 256)] == [1, 1, 2, 3, 8, 9]


WAYS: list[dict[str, Any]] = [{"engine": "step"}, {"engine": "leap"}, {"engine": "leap", "network": {"latency": 2}}]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_message_of_no_words_is_refused_where_it_is_sent(way: dict[str, Any]) -> None:
    """By sites and by the server, to one site and to all; whole numbers of words are taken whatever their type."""
    for words in (0, -300_000, float("nan"), 1.0, True, "one", np.int64(0)):
        for sides in (Scripted(words=words), Scripted(answers=(words,)), Scripted(answers=(1, words))):
            with pytest.raises(PartError, match=r"words must be a whole number.*\(scripted_protocol.py:\d+\)"):
                play(sides, Uniform(), sites=3, items=20, **way)
    for words in (3, np.int64(3), np.uint8(3)):
        game = play(Scripted(words=words), Uniform(), sites=3, items=20, **way)
        assert (game.words, type(game.words)) == (60, int)


@pytest.mark.parametrize("kind", ["up", "down", "link"])
def test_a_kind_that_is_the_name_of_a_sum_is_refused(kind: str) -> None:
    """In claims `words_up` is the sum over all kinds: words of a kind `up` would be out of reach."""
    ledger = Ledger(3, 10)
    for send in (ledger.count_up, ledger.count_down):
        with pytest.raises(PartError, match="accepted: any kind but"):
            send(2, Message(kind))
    assert (ledger.messages, ledger.rows()) == (0, [])


def test_what_links_add_is_apart_and_comes_last() -> None:
    ledger = Ledger(2, 7)
    ledger.count_up(0, Message("m", 5, np.int64(3)))  # type: ignore[arg-type]
    ledger.count_up(1, Message("a"))
    ledger.count_link("ack", True, 2, 5)
    ledger.count_link("number", False, 0, 4)
    ledger.count_link("number", False, 0, 4)
    assert (ledger.messages, ledger.words, ledger.bits, ledger.word_bits) == (2, 4, 10, 3)
    assert (ledger.messages_link, ledger.words_link) == (2, 13)
    assert [tuple(row) for row in ledger.rows()] == [
        ("a", "up", 1, 1, 1), ("m", "up", 1, 3, 9), ("ack", "up", 2, 5, 15), ("number", "down", 0, 8, 24),
    ]  # fmt: skip
