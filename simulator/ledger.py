"""What crossed the channels: messages, words and bits, by direction, kind and site."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from protocols.base import Message


@dataclass(slots=True)
class Tally:
    """Count of one kind of message in one direction."""

    messages: int = 0
    words: int = 0
    signals: int = 0
    """Of the messages, those that carry nothing: one bit each."""
    signal_words: int = 0


class Ledger:
    """Counts every message that is sent, also those that end a game.

    Parameters
    ----------
    sites
        Number of sites.
    items
        Items of the whole game; fixes the word at ceil(log2(items + 1)) bits.
    """

    __slots__ = ("broadcasts", "down", "down_sites", "up", "up_sites", "word_bits", "words")

    def __init__(self, sites: int, items: int) -> None:
        self.word_bits = max(1, items.bit_length())
        self.up: defaultdict[str, Tally] = defaultdict(Tally)
        self.down: defaultdict[str, Tally] = defaultdict(Tally)
        self.up_sites = [0] * sites
        self.down_sites = [0] * sites
        self.broadcasts = 0
        self.words = 0

    def count_up(self, site: int, message: Message) -> None:
        """Count a message from the site to the server."""
        self.up_sites[site] += 1
        tally = self.up[message.kind]
        tally.messages += 1
        words = message.words
        tally.words += words
        self.words += words
        if message.value is None:
            tally.signals += 1
            tally.signal_words += words

    def count_down(self, site: int, message: Message) -> None:
        """Count a message from the server to the site."""
        self.down_sites[site] += 1
        self._count(self.down[message.kind], message, 1)

    def count_many_up(self, message: Message, times: int) -> None:
        """Count messages like this one from sites to the server; `up_sites` is left to the caller."""
        if times:
            self._count(self.up[message.kind], message, times)

    def count_broadcast(self, message: Message, sites: int) -> None:
        """Count a message from the server to all of so many sites; `down_sites` is left to the caller."""
        self.broadcasts += 1
        self._count(self.down[message.kind], message, sites)

    def _count(self, tally: Tally, message: Message, times: int) -> None:
        words = message.words * times
        tally.messages += times
        tally.words += words
        self.words += words
        if message.value is None:
            tally.signals += times
            tally.signal_words += words

    def bits(self, tally: Tally) -> int:
        """Return the bits of a tally: a signal is one bit, a word `word_bits`."""
        return tally.signals + (tally.words - tally.signal_words) * self.word_bits

    @property
    def messages(self) -> int:
        """Messages in both directions."""
        return sum(tally.messages for side in (self.up, self.down) for tally in side.values())

    @property
    def words_up(self) -> int:
        """Words from the sites to the server."""
        return sum(tally.words for tally in self.up.values())

    @property
    def words_down(self) -> int:
        """Words from the server to the sites."""
        return sum(tally.words for tally in self.down.values())

    @property
    def total_bits(self) -> int:
        """Bits in both directions."""
        return sum(self.bits(tally) for side in (self.up, self.down) for tally in side.values())

    def rows(self) -> list[dict[str, object]]:
        """Return a row a kind and direction: kind, direction, messages, words, bits."""
        return [
            {
                "kind": kind,
                "direction": direction,
                "messages": tally.messages,
                "words": tally.words,
                "bits": self.bits(tally),
            }
            for direction, side in (("up", self.up), ("down", self.down))
            for kind, tally in sorted(side.items())
        ]
