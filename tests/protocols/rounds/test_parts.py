"""Site and server of a protocol in rounds, worked by hand with a rule that draws nothing."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from disttrack.protocols.base import EVERYONE, FOREVER, Message
from disttrack.protocols.rounds.parts import BIT, END, ITEM, POLL, RoundServer, RoundSite, announcement, counted
from disttrack.protocols.rounds.rules import SignalRule
from disttrack.simulator.conformance.by_hand import deliver


class EveryThird(SignalRule):
    """A site signals at each third of its items; its eighth ends the round."""

    last = 8

    def after(self, due: Any, shape: int | None = None) -> Any:
        return due + 3

    @property
    def rate(self) -> float:
        return 1 / 3


def rule_of(number: int, total: int) -> SignalRule | None:
    """Forward the first four items."""
    return EveryThird() if total >= 4 else None


class Server(RoundServer):
    """Adds three a signal, and polls after `most` of them."""

    most = 2

    def enter(self, rule: SignalRule) -> None:
        self.unit, self.limit = 3, self.most


class Void(Server):
    """Its rounds are over as soon as they have begun."""

    most = 0

    def enter(self, rule: SignalRule) -> None:
        self.unit, self.limit = 0, self.most
        if self.rounds > 1:
            self.unit, self.limit = 3, 2


def started(site_items: int = 4) -> tuple[RoundSite, Server]:
    return RoundSite(rule_of, site_items), Server(rule_of, 1, site_items)


def test_a_game_of_two_sites_by_hand() -> None:
    """Items 1 … 4 are forwarded; then each site signals at its third: the third and the sixth item of the round.

    The second signal makes it a poll: counts 3 and 3, so a round begins with 10. The site fed alone in it signals at
    its third and sixth item: 13, and 16 by the poll.
    """
    crowd, server = [RoundSite(rule_of, 0) for _ in range(2)], Server(rule_of, 2, 0)
    outputs = []
    for site in (0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0):
        deliver(crowd, server, site, crowd[site].take(1))
        outputs.append(server.output)
    assert outputs == [1, 2, 3, 4, 4, 4, 7, 7, 7, 10, 10, 10, 13, 13, 13, 16]
    assert server.rounds == 3
    assert [site.round for site in crowd] == [3, 3]


def test_messages_of_each_kind_by_hand() -> None:
    site, server = RoundSite(rule_of, 0), Server(rule_of, 1, 0)
    for _ in range(3):
        assert site.quota() == 0
        assert site.take(1) == (ITEM,)
        assert server.hear(0, ITEM) == ()
    assert server.hear(0, *site.take(1)) == ((EVERYONE, announcement(4)),)
    assert site.hear(announcement(4)) == ()
    assert site.quota() == 2
    assert site.take(3) == (BIT,)
    assert server.hear(0, BIT) == ()
    assert server.output == 7
    assert site.take(3) == (BIT,)
    assert server.hear(0, BIT) == ((EVERYONE, POLL),)
    assert site.hear(POLL) == (counted(6),)
    assert site.quota() == FOREVER - 1  # it counts in silence until the round is announced
    assert server.hear(0, counted(6)) == ((EVERYONE, announcement(10)),)
    assert server.output == 10
    with pytest.raises(ValueError, match="no message of kind 'gossip'"):
        server.hear(0, Message("gossip"))


@pytest.mark.parametrize("number", range(2))
def test_what_a_message_says_counts_and_not_which_object_it_is(number: int) -> None:
    """Copies of all that a round needs, made and unpickled: kinds are equal, and other objects."""
    copy = (lambda message: Message(*message)) if number else (lambda message: pickle.loads(pickle.dumps(message)))
    assert copy(BIT) == BIT
    assert copy(BIT) is not BIT
    site, server = started()
    assert server.hear(0, copy(*site.take(3))) == ()
    assert server.output == 7
    assert server.hear(0, copy(*site.take(3))) == ((EVERYONE, POLL),)
    assert site.hear(copy(POLL)) == (counted(6),)
    assert server.hear(0, copy(counted(6))) == ((EVERYONE, announcement(10)),)
    assert site.hear(copy(announcement(10))) == ()
    assert server.hear(0, copy(END)) == ((EVERYONE, POLL),)


def test_the_last_item_of_its_share_makes_a_site_end_the_round() -> None:
    site = RoundSite(rule_of, 4)
    assert [message.kind for _ in range(8) for message in site.take(1)] == ["bit", "bit", "end"]
    assert site.quota() == FOREVER - 8 - 1
    late = RoundSite(rule_of, 4)
    late.count = 6  # six items came while messages were delayed
    assert late.take(2) == (BIT, BIT, END)


def test_signals_that_arrive_during_a_poll_are_in_the_counts_already() -> None:
    _, server = started()
    server.k = 2
    server.hear(0, BIT)
    server.hear(0, BIT)
    assert server.hear(1, BIT) == ()
    assert server.hear(1, END) == ()
    assert server.output == 10
    assert server.hear(0, counted(6)) == ()
    assert server.hear(1, counted(5)) == ((EVERYONE, announcement(15)),)
    assert (server.output, server.signals) == (15, 0)


def test_an_item_that_was_on_its_way_while_the_round_began_is_counted() -> None:
    _, server = started()
    server.hear(0, BIT)
    assert server.hear(0, ITEM) == ()
    assert (server.base, server.output) == (5, 8)


def test_items_that_came_between_poll_and_announcement_belong_to_the_new_round() -> None:
    site, _ = started()
    site.take(2)
    assert site.hear(POLL) == (counted(2),)
    assert site.take(4) == ()
    assert site.hear(announcement(6)) == (BIT,)  # the third of these four
    assert site.quota() == 1
    forwarding = RoundSite(rule_of, 4)
    forwarding.hear(POLL)
    forwarding.take(2)
    assert forwarding.hear(announcement(3)) == (ITEM, ITEM)


def test_a_round_over_at_once_is_announced_and_polled() -> None:
    server = Void(rule_of, 1, 0)
    sent: Iterator[Any] = iter([server.hear(0, ITEM) for _ in range(4)])
    assert [next(sent) for _ in range(3)] == [(), (), ()]
    assert next(sent) == ((EVERYONE, announcement(4)), (EVERYONE, POLL))
    assert server.hear(0, counted(0)) == ((EVERYONE, announcement(4)),)
    assert server.rounds == 2


def test_a_round_over_before_the_game_is_polled_at_its_first_signal() -> None:
    """No message can be sent before the first step, so the poll that is due is not taken for sent."""
    server = Void(rule_of, 1, 4)
    assert (server.rounds, server.output) == (1, 4)
    assert server.hear(0, BIT) == ((EVERYONE, POLL),)
    assert server.hear(0, counted(3)) == ((EVERYONE, announcement(7)),)
    assert (server.rounds, server.output) == (2, 7)
    assert server.hear(0, BIT) == ()
    assert server.output == 10
