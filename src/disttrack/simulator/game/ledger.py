"""The cost of communication: messages, words and bits, by direction, kind and site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import EVERYONE, Message, Server
from disttrack.simulator.errors import PartError, must_be, sites_of_game
from disttrack.simulator.game.columns import SENT, Sent

ONE: Final = 1
"""The words of nearly every message; an identity test detects them quickly, others are checked."""


@dataclass(slots=True)
class Tally:
    """Count of one kind of message in one direction.

    Attributes
    ----------
    messages
        Number of messages.
    signals
        Messages among these without a value: one word and one bit each.
    more_words
        Words beyond one per message.
    """

    messages: int = 0
    signals: int = 0
    more_words: int = 0

    @property
    def words(self) -> int:
        """Total words."""
        return self.messages + self.more_words


MOST: Final = 100_000
"""Messages of the server within one step that are always allowed, beside `MOST_EACH` to each site."""
MOST_EACH: Final = 1_000
"""Messages to each site: trackers send a few, one for each doubling that a heavy item makes."""


TAKEN: Final = ("up", "down", "link")
"""No kinds of messages: the columns `words_up`, `messages_link`, … of a game are sums over kinds."""


class Tallies(dict[str, Tally]):
    """The tallies of one direction by kind, each made with the first message of its kind.

    Raises
    ------
    PartError
        The kind is one of `TAKEN`.
    """

    def __init__(self, protocol: str) -> None:
        self.protocol = protocol

    def __missing__(self, kind: str) -> Tally:
        if kind in TAKEN:
            raise PartError(f"protocol {self.protocol}: message {kind!r}: accepted: any kind but {', '.join(TAKEN)}")
        return self.setdefault(kind, Tally())


@dataclass(slots=True, eq=False)
class Ledger:
    """Counts every message sent, including messages that end a game.

    Parameters
    ----------
    sites
        Number of sites.
    items
        Items of the whole game; fixes the word at ceil(log2(items + 1)) bits.
    protocol
        Name of the protocol, for error messages.
    """

    sites: InitVar[int]
    items: InitVar[int]
    protocol: str = ""
    broadcasts: int = 0
    word_bits: int = field(init=False)
    up: Tallies = field(init=False)
    down: Tallies = field(init=False)
    link_up: Tallies = field(init=False)
    link_down: Tallies = field(init=False)
    up_sites: list[int] = field(init=False)
    down_sites: list[int] = field(init=False)
    _step: int = 0  # a step, and the server's messages to sites in it
    _in_step: int = 0

    def __post_init__(self, sites: int, items: int) -> None:
        self.word_bits = max(1, items.bit_length())
        self.up, self.down, self.link_up, self.link_down = (Tallies(self.protocol) for _ in range(4))
        self.up_sites, self.down_sites = [0] * sites, [0] * sites

    def count_up(self, site: int, message: Message) -> None:
        """Count a message from the site to the server."""
        self.up_sites[site] += 1
        _count(self.up[message.kind], message, 1, self.more_words(message, site))

    def count_down(self, site: int, message: Message) -> None:
        """Count a message from the server to the site."""
        self.down_sites[site] += 1
        _count(self.down[message.kind], message, 1, self.more_words(message))

    def count_many_up(self, message: Message, times: int, further: int = 0) -> None:
        """Count messages like this one from sites to the server, and words that some have beyond its words.

        `up_sites` is left to the caller.
        """
        if times:
            _count(self.up[message.kind], message, times, self.more_words(message, "every site"))
            self.up[message.kind].more_words += further

    def count_broadcast(self, message: Message, sites: int) -> None:
        """Count a message from the server to all of `sites` sites; `down_sites` is left to the caller."""
        self.broadcasts += 1
        _count(self.down[message.kind], message, sites, self.more_words(message))

    def count_link(self, kind: str, up: bool, messages: int, words: int) -> None:
        """Count the overhead of a reliable link: `messages` messages of its own, and `words` words in total."""
        tally = (self.link_up if up else self.link_down)[kind]
        tally.messages += messages
        tally.more_words += words - messages

    def more_words(self, message: Message, sender: int | str = "the server") -> int:
        """Return the words of a message beyond the first one; the sender is a site's number or a name.

        Raises
        ------
        PartError
            If the words are no whole number of at least 1: such a message would lower the cost, or make it unknown.
        """
        words = message.words
        if words is ONE:
            return 0
        if isinstance(words, bool) or not isinstance(words, int | np.integer) or words < 1:
            who = f"site {sender}" if isinstance(sender, int) else sender
            raise PartError(
                f"protocol {self.protocol}: message {message.kind!r} of {who}: "
                + must_be("a whole number of at least 1", words, "words")
            )
        return int(words) - 1

    def receivers(self, receiver: int, message: Message, step: int) -> Sequence[int]:
        """Return the sites that receive a message that the server sends in a step, and count broadcasts.

        Raises
        ------
        PartError
            There is no such site, or the server has sent more messages in the step than any tracker needs.
        """
        sites: Sequence[int] = (receiver,)
        if receiver == EVERYONE:
            self.broadcasts += 1
            sites = range(len(self.down_sites))
        else:
            self.check_receiver(receiver, message)
        if step != self._step:
            self._step, self._in_step = step, 0
        self._in_step += len(sites)
        if self._in_step > (most := MOST + MOST_EACH * len(self.down_sites)):
            at = f"step {step:,}" if step else "one step"
            raise PartError(
                f"protocol {self.protocol}: more than {most:,} messages of the server in {at}, the last "
                f"{message.kind!r}; hear of server and site answer each other for ever"
            )
        return sites

    def check_receiver(self, site: object, message: Message) -> None:
        """Raise PartError unless the server may send this message to `site`: a whole number from 0 to k - 1."""
        whole = isinstance(site, int | np.integer) and not isinstance(site, bool)
        if not whole or not 0 <= site < len(self.down_sites):  # type: ignore[operator]
            raise PartError(
                f"protocol {self.protocol}: message {message.kind!r} of the server to site {site!r}; "
                f"{sites_of_game(len(self.down_sites))}"
            )

    def bits_of(self, message: Message) -> int:
        """Return the bits of a message."""
        return 1 if message.value is None else message.words * self.word_bits

    def bits_in(self, tally: Tally) -> int:
        """Return the bits of a tally: a signal is one bit, a word `word_bits`."""
        return tally.signals + (tally.words - tally.signals) * self.word_bits

    @property
    def sent(self) -> dict[str, Any]:
        """The columns of a game of what was sent."""
        return {name: getattr(self, name) for name in SENT}

    @property
    def messages(self) -> int:
        """Messages in both directions."""
        return sum(tally.messages for side in (self.up, self.down) for tally in side.values())

    @property
    def words(self) -> int:
        """Words in both directions."""
        return self.words_up + self.words_down

    @property
    def words_up(self) -> int:
        """Words from the sites to the server."""
        return sum(tally.words for tally in self.up.values())

    @property
    def words_down(self) -> int:
        """Words from the server to the sites."""
        return sum(tally.words for tally in self.down.values())

    @property
    def messages_link(self) -> int:
        """Messages that reliable links have added, in both directions."""
        return sum(tally.messages for side in (self.link_up, self.link_down) for tally in side.values())

    @property
    def words_link(self) -> int:
        """Words that reliable links have added, in both directions."""
        return sum(tally.words for side in (self.link_up, self.link_down) for tally in side.values())

    @property
    def bits(self) -> int:
        """Bits in both directions."""
        return sum(self.bits_in(tally) for side in (self.up, self.down) for tally in side.values())

    def rows(self) -> list[Sent]:
        """Return one row per kind and direction; those of links come last."""
        sides = self.up, self.down, self.link_up, self.link_down
        return [
            Sent(kind, direction, tally.messages, tally.words, self.bits_in(tally))
            for direction, side in zip(TAKEN[:2] * 2, sides, strict=True)
            for kind, tally in sorted(side.items())
        ]

    def rounds_of(self, server: Server) -> int:
        """Return the rounds of a game: those that the server counts, else each of its broadcasts."""
        return self.broadcasts if server.rounds is None else server.rounds


def _count(tally: Tally, message: Message, times: int, more_words: int) -> None:
    tally.messages += times
    tally.more_words += more_words * times
    if message.value is None:
        tally.signals += times
