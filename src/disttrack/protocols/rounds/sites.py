"""Sites and server of protocols in rounds: forward every item at first, then count signals by a rule, then poll.

A round begins with a count that all parties know. During it the server sends nothing; each
site signals at certain counts of its own items, which the round's signal rule fixes. A signal may
move the output, and after `limit` of them the server acts: by default it ends the round,
collects the k counts and announces the exact total (3k messages). A server that polls ahead sends its estimate
with the poll, as the next round's count; the sites begin that round as they answer, and only the server knows the
exact total (2k messages).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from disttrack.mechanisms.rules import BlockLayout
from disttrack.protocols.base import EVERYONE, FOREVER, Message, Number, Server, Site
from disttrack.protocols.coins import Coins, gap_scale


class SignalRule(ABC):
    """The rule of one round, which the server and all sites derive from the announced count.

    Attributes
    ----------
    last
        The item with this number in the round makes a site send END; `FOREVER` for never.
    drawn
        Whether it takes a coin for each signal.
    """

    last: int = FOREVER
    drawn: bool = True

    @abstractmethod
    def after(self, due: int) -> int:
        """Return the count in the round at which a site signals next, after it has signalled at `due` (0: not yet)."""


class BlockRule(BlockLayout, SignalRule):
    """A site signals once in each block of `size` items; `BlockLayout` places the blocks.

    Parameters
    ----------
    size
        Items in a block.
    blocks
        Blocks that a site may use in a round; the item after the last of them makes it send END.
    """

    def __init__(self, size: int, blocks: int | None = None) -> None:
        super().__init__(size)
        self.last = FOREVER if blocks is None else min(self.items(blocks) + 1, FOREVER)  # Algorithm 1, l. 5: j > k'

    offset: Callable[[], int]
    """Returns the item of a block, from 1 to `size`, at which a site signals; random if the rule is."""

    def after(self, due: int) -> int:
        return self.full(due) + self.offset()  # Algorithm 1, Initialize: r_ij, drawn when block j begins


class CoinRule(SignalRule):
    """Each item makes its site signal with probability p, independently of the past.

    Parameters
    ----------
    p
        The bias of the coin.
    coins
        The coins of the sites.
    """

    def __init__(self, p: float, coins: Coins) -> None:
        self.p = p
        self._scale = gap_scale(p)
        self._coins = coins

    def after(self, due: int) -> int:
        gap: int = self._coins.gap(self._scale)
        return due + gap


RuleOf = Callable[[int, int], SignalRule | None]
"""Maps a round's number (from 1) and the count at its start to its signal rule; None: forward every item."""


def items_until_rule(rule_of: RuleOf, number: int, base: int, most: int) -> int:
    """Return after how many items more than `base` the round of this number begins, at most `most`."""

    def begins(items: int) -> bool:
        return rule_of(number, base + items) is not None

    if not begins(most):
        return most
    low, high = 0, most  # begins(high), and never before low + 1: it takes at least one item
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if begins(middle) else (middle, high)
    return high


def remembering(rule_of: RuleOf) -> RuleOf:
    """Return `rule_of` with its last result cached, which all k sites of a game ask for in turn."""
    asked: tuple[int, int] | None = None
    answer: SignalRule | None = None

    def rule(number: int, total: int) -> SignalRule | None:
        nonlocal asked, answer
        if asked != (number, total):
            asked, answer = (number, total), rule_of(number, total)
        return answer

    return rule


ITEM: Final = Message("item")
"""An item, forwarded while rounds are not worth their polls."""
BIT: Final = Message("bit")
"""A site's count has reached its next signal."""
END: Final = Message("end")
"""A site has used up its share of the round."""
POLL: Final = Message("poll")
"""The server ends the round and asks for the counts."""

_NOTHING: Final[tuple[Message, ...]] = ()
_BIT_ALONE: Final = (BIT,)
_ITEM_ALONE: Final = (ITEM,)
_END_ALONE: Final = (END,)
_POLL_ALL: Final = ((EVERYONE, POLL),)


def counted(items: int) -> Message:
    """Return a site's answer to the poll: its items in the round."""
    return Message("count", items)


def poll_ahead(estimate: int) -> Message:
    """Return the poll that also begins the next round, with the server's estimate of the items so far."""
    return Message("poll", estimate)


def announcement(total: int) -> Message:
    """Return the message that begins a round: the exact total."""
    return Message("round", total)


class RoundSite(Site):
    """A site of a protocol in rounds: with blocks, Algorithm 1 of Xiong, Zhu, Huang 2023; comments give its lines."""

    __slots__ = ("_rule_of", "count", "due", "forwards", "round", "rule")

    def __init__(self, rule_of: RuleOf, start: int) -> None:
        self._rule_of = rule_of
        self.count = 0
        """Items in this round."""
        self.due: int = FOREVER
        """The count of its next signal."""
        self.rule: SignalRule | None = None
        self.round = 0
        self.forwards = True
        if start:
            self.begin(start)

    def silence(self) -> int:
        return 0 if self.forwards else self.due - self.count - 1

    @property
    def tossed_ahead(self) -> tuple[str, ...]:
        return ("due",) if isinstance(self.rule, CoinRule) else ()

    def take(self, items: int) -> Sequence[Message]:
        if self.forwards:
            return _ITEM_ALONE * items
        count = self.count = self.count + items  # l. 2
        due = self.due
        if count < due:  # l. 8
            return ()
        rule = self.rule
        assert rule is not None
        if due == rule.last:  # l. 5 and 6
            return self.signals_due()
        following = rule.after(due)
        self.due = following = following if following < rule.last else rule.last
        return _BIT_ALONE if count < following else _BIT_ALONE + self.signals_due()

    def signals_due(self) -> tuple[Message, ...]:
        """Return the signals due; more than one only if messages were delayed."""
        rule, count, due = self.rule, self.count, self.due
        assert rule is not None
        signals = _NOTHING
        while due <= count:
            if due == rule.last:
                signals, due = signals + _END_ALONE, FOREVER
            else:
                signals = signals + _BIT_ALONE
                due = rule.after(due)
                if due > rule.last:
                    due = rule.last
        self.due = due
        return signals

    def hear(self, message: Message) -> Sequence[Message]:
        if message.kind == "poll":
            answer = counted(self.count)
            self.count = 0
            self.due = FOREVER  # it counts silently until the next round begins
            return (answer,) if message.value is None else (answer, *self.begin(message.value))
        return self.begin(message.value)

    def next_rule(self, total: int) -> SignalRule | None:
        """Return the rule of the round after the present one, begun with `total` items; None: forward every item."""
        return self._rule_of(self.round + 1, total)

    def begin(self, total: int) -> Sequence[Message]:
        """Begin the next round, with `total` items counted; `count` contains items received since the poll."""
        rule = self.next_rule(total)
        if rule is None:
            waiting, self.count, self.forwards = self.count, 0, True
            return _ITEM_ALONE * waiting
        self.round += 1
        self.forwards = False
        self.rule = rule
        self.due = min(rule.after(0), rule.last)
        return self.signals_due()


class RoundServer(Server):
    """The server of a protocol in rounds.

    Subclasses define in `enter` how much a signal adds to the output (`unit`) and after how many signals the
    server acts (`limit`), and may replace `act`.

    Attributes
    ----------
    base
        Items counted exactly at the start of the round.
    announced
        The count that the sites know for it: `base`, or an estimate of it.
    signals
        Signals received since it last acted.
    unit
        Amount that a signal adds to the output; 0 if the output only changes when the server acts.
    limit
        The number of signals at which it acts.
    counts_to_come
        Sites that have not answered the poll yet.
    early
        Senders of signals that came after their answers to the poll: they belong to the next round.
    last_signal
        Site of the last signal and its number among the site's in the round; kept by servers that need it.
    """

    polls_ahead: ClassVar[bool] = False
    """Whether a poll announces the next round's count, so that no announcement follows it."""

    __slots__ = (
        "_answered",
        "_poll",
        "_rule_of",
        "announced",
        "base",
        "counts_to_come",
        "early",
        "k",
        "last_signal",
        "limit",
        "output",
        "rounds",
        "rule",
        "signals",
        "unit",
    )

    def __init__(self, rule_of: RuleOf, k: int, start: int) -> None:
        self._rule_of = rule_of
        self.k = k
        self.base = self.announced = start
        self.output: Number = start
        self.unit: int | float = 0
        self.last_signal = (0, 0)
        self.rounds: int = 0
        self.signals = 0
        self.limit = FOREVER
        self.rule: SignalRule | None = None
        self.counts_to_come = 0
        self._poll = 0
        self._answered: set[int] = set()
        self.early: list[int] = []
        if start:
            self._begin()
            self.counts_to_come = (
                0  # nothing can be sent yet: a round that is over at once is polled at its first signal
            )

    @abstractmethod
    def enter(self, rule: SignalRule) -> None:
        """Set `unit`, `limit` and other state of a new round; `base` and `rounds` are set.

        A limit of 0 ends the round as soon as it has been announced.
        """

    def act(self) -> Sequence[tuple[int, Message]]:
        """Act after `limit` signals; return the messages sent."""
        return self.end_round()

    def output_after(self, signals: int) -> Any:
        """Return the output `signals` signals after it last acted."""
        return self.base + self.unit * signals

    def absorb(self, signals: int) -> Sequence[tuple[int, Message]]:
        """Take `signals` signals, up to the one that makes it act."""
        self.signals += signals
        if self.unit:
            self.output = self.output_after(self.signals)
        return self.act() if self.signals >= self.limit else ()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if message is BIT or message.kind == "bit":  # a signal is this very object unless copied on its way
            if not self.counts_to_come:
                return self.absorb(1)
            # during a poll, delayed signals are part of a count still to come; signals after it belong to the next
            # round
            if sender in self._answered:
                self.early.append(sender)
            return ()
        kind = message.kind
        if kind == "item":
            if self.rule is None:
                return self.forwarded(1)
            self.base += 1  # it was on its way while the round began
            self.output = self.output_after(self.signals) if self.unit else self.output + 1  # type: ignore[operator]
            return ()
        if kind == "count":
            if self.polls_ahead:
                self._answered.add(sender)
            return self.counted(message.value)
        if kind == "end":
            return () if self.counts_to_come else self.end_round()
        raise ValueError(f"the server knows no message of kind {kind!r}")

    def forwarded(self, items: int) -> Sequence[tuple[int, Message]]:
        """Take `items` forwarded items, up to the one that begins a round."""
        self.output = self.base = self.base + items
        return () if self._rule_of(self.rounds + 1, self.base) is None else self._begin()

    def end_round(self) -> Sequence[tuple[int, Message]]:
        """Poll all the sites."""
        self.counts_to_come = self.k
        self._poll = 0
        if not self.polls_ahead:
            return _POLL_ALL
        self.announced = max(1, self.estimate())
        return ((EVERYONE, poll_ahead(self.announced)),)

    def estimate(self) -> int:
        """Return the server's estimate of the items so far at the end of a round, for its own use."""
        items: int = round(self.output_after(self.signals))
        return items

    def counted(self, items: int, sites: int = 1) -> Sequence[tuple[int, Message]]:
        """Take the counts of `sites` sites, `items` in total; begin the next round after the last."""
        self._poll += items
        self.counts_to_come -= sites
        if self.counts_to_come:
            return ()
        self.base += self._poll
        return self._begin()

    def _begin(self) -> Sequence[tuple[int, Message]]:
        exact = self.rule is None or not self.polls_ahead
        if exact:
            self.announced = self.base
        self.output = self.base
        self.rule = self._rule_of(self.rounds + 1, self.announced)
        messages = ((EVERYONE, announcement(self.base)),) if exact else ()
        if self.rule is not None:
            self.rounds += 1
            self.signals = len(self.early)
            self.enter(self.rule)
            self.early.clear()
            self._answered.clear()
            if self.limit <= self.signals:
                return (*messages, *self.end_round())
        return messages
