"""Site and server of a protocol in rounds, worked by hand with a rule that draws nothing."""

from __future__ import annotations

from typing import Any

from disttrack.protocols.base import EVERYONE, FOREVER
from disttrack.protocols.rounds.sites import (
    BIT,
    END,
    ITEM,
    POLL,
    RoundServer,
    RoundSite,
    SignalRule,
    announcement,
    counted,
)


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


def started(site_items: int = 4) -> tuple[RoundSite, Server]:
    return RoundSite(rule_of, site_items), Server(rule_of, 1, site_items)


def test_the_last_item_of_its_share_makes_a_site_end_the_round() -> None:
    site = RoundSite(rule_of, 4)
    assert [message.kind for _ in range(8) for message in site.take(1)] == ["bit", "bit", "end"]
    assert site.silence() == FOREVER - 8 - 1
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
    assert site.silence() == 1
    forwarding = RoundSite(rule_of, 4)
    forwarding.hear(POLL)
    forwarding.take(2)
    assert forwarding.hear(announcement(3)) == (ITEM, ITEM)


def test_items_on_their_way_while_a_round_begins_move_an_output_without_units() -> None:
    """Seen: with messages late, `robust` stayed at 156 of 8,000 for ever, though all items had come."""

    class WithoutUnits(Server):
        def enter(self, rule: SignalRule) -> None:
            self.unit, self.limit = 0, FOREVER

    server = WithoutUnits(rule_of, 1, 0)
    for _ in range(4):
        server.hear(0, ITEM)
    assert server.rule is not None
    for _ in range(100):
        server.hear(0, ITEM)
    assert (server.base, server.output) == (104, 104)
