"""Base class of protocols: messages, sites and a server, the parameters that make them, and facts about them.

A site acts only on an item or on a message, the server only on a message
(Xiong, Zhu, Huang 2023, section 1). Each returns the messages that it sends; the simulator
carries, counts and delays them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from inspect import getattr_static, isroutine
from math import inf, log, log1p, log2
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from disttrack.mechanisms.checks import Checked
from disttrack.mechanisms.checks import whole as whole
from disttrack.mechanisms.faults import FaultyPart
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts
from disttrack.mechanisms.shortcuts import settle_anew as settle_anew
from disttrack.mechanisms.shortcuts import shadowed as shadowed
from disttrack.mechanisms.shortcuts import void_by as void_by

EVERYONE: Final = -1
"""Receiver of a broadcast: every site, at the cost of k messages."""

FOREVER: Final = 2**62
"""An infinite silence: no further item makes the site send a message."""


class Exactly(NamedTuple):
    """A fractional output, to be judged exactly: numerator / denominator."""

    numerator: int
    denominator: int

    def __float__(self) -> float:
        return self.numerator / self.denominator


Number = int | float | Exactly


class Message(NamedTuple):
    """A message between a site and the server.

    Attributes
    ----------
    kind
        Short name under which the ledger counts it.
    value
        The value that it carries; None makes it a signal of one bit.
    words
        Cost in words. Every message is at least one; an integer below N is one.
    """

    kind: str
    value: Any = None
    words: int = 1


class Site(Shortcuts, ABC):
    """One site. It receives its own items and the server's messages, nothing else."""

    __slots__ = ()

    @abstractmethod
    def silence(self) -> int:
        """Return how many further items it can receive without sending a message; `FOREVER` if any number.

        The item after these may make it send one. Calling it changes nothing and draws nothing.
        """

    @abstractmethod
    def take(self, items: int) -> Sequence[Message]:
        """Receive `items` items, 1 <= items <= silence() + 1, and return what it sends to the server."""

    def hear(self, message: Message) -> Sequence[Message]:
        """Receive a message of the server and return what it sends back; by default nothing."""
        return ()

    @property
    def tossed_ahead(self) -> tuple[str, ...]:
        """Names of the attributes that hold coins of items yet to come, drawn ahead to save time.

        In the algorithm these coins are tossed with their item, so an adversary that sees the state does not see them.
        """
        return ()

    shortcuts: ClassVar = {"silence": Shortcut(lambda site: 0)}  # it may speak at any item
    descriptions = frozenset({"tossed_ahead"})


class Server(ABC):
    """The server. Its `output` is the answer at every step: an estimate of the number of items, or of each item."""

    __slots__ = ()

    rounds: int | None = None
    """Rounds begun so far; of a server that does not count them each broadcast begins one."""

    extra: Mapping[str, Any] = MappingProxyType({})
    """Further facts by name, which the game's outcome has too."""

    output: Number
    """The present estimate, in items; in games of items with content, a mapping of items that changes in place."""

    @abstractmethod
    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        """Receive a message from site `sender`; return pairs (receiver, message).

        The receiver is a site's number or `EVERYONE`.
        """

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        """Take the count of a site that has returned without its state; return pairs as `hear` does.

        Called only if `Protocol.readmission` is `report`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how a site is re-admitted")


class SumOfReports(Server):
    """The sum of the counts that the sites have reported last; it sends nothing.

    Parameters
    ----------
    reported
        Items of each site before the game.
    """

    __slots__ = ("output", "reported")

    def __init__(self, reported: Sequence[int]) -> None:
        self.reported = list(reported)
        self.output: int = sum(reported)

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return self.readmit(sender, message.value)

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        self.output += items - self.reported[sender]
        self.reported[sender] = items
        return ()


Guarantee = Literal["always", "adaptive", "oblivious", "none"]
"""Against which inputs a protocol keeps its promise: all, all with high probability, those that do not react, none."""
Readmission = Literal["none", "report", "anew"]
"""How a site returns that has lost its state: not at all, by a report of its number of items, by a new start of all."""
Carries = Literal["", "delays", "losses", "copies"]
"""What may happen to messages on their way; each includes the ones before."""
STEADY: Final = 1000
"""Number of the round from which on the constants of rounds hardly change."""


@dataclass(frozen=True)
class Protocol(Checked, ABC):
    """Parameters of a protocol; makes its parts. Subclasses are frozen dataclasses.

    Types of `disttrack.mechanisms.checks` declare the ranges of parameters, and values out of them are refused.

    Class attributes state facts that the conformance suite tries to refute.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files."""
    guarantee: ClassVar[Guarantee] = "none"
    """When the output is within 1 +- alpha, an alarm neither early nor late, or what else its games promise within its
    bound: `always`, on every input; `adaptive`, with probability 1 - delta against adversaries that react to the
    outputs; `oblivious`, the same if they do not react; `none`, never promised."""
    guaranteed: ClassVar[str] = "right"
    """What holds by its guarantee, in words."""
    reveals: ClassVar[str] = ""
    """What a change of the output reveals."""
    one_sided: ClassVar[bool] = False
    """Whether the output never exceeds the truth."""
    plays: ClassVar[tuple[str, ...]] = ()
    """The tasks that it is made for, if its output estimates no count; another one plays it without a verdict."""
    draws_coins: ClassVar[bool] = True
    """Whether it may draw random numbers that no seed decides. A class with False draws only from the generators handed
    to `sites` and `server`; a game that drew nothing from them is then played for one seed, and counted for all."""
    mark: ClassVar[tuple[str, str] | None] = None
    """Its colour and its matplotlib marker in every figure, which subclasses do not inherit; None for a look by its
    order in a figure. The colours of shipped trackers are those of Okabe and Ito, greys, or darker ones beside them;
    those that are most often drawn together differ by at least 30 of 255 in lightness, so that a grey print keeps them
    apart."""
    faults: ClassVar[Mapping[str, type[FaultyPart] | str]] = {"lost-reports": "disttrack.protocols.faults:LostReports"}
    """The faults that it can have, and for each the mixin that breaks it, or ``module:Class``; those of its bases are
    added."""

    carries: ClassVar[Carries] = ""
    """What may happen to messages that take time where the compiled form plays: they arrive in order (`delays`), or are
    lost or overtaken as well (`losses`), or arrive twice (`copies`); empty if they may take no time at all."""
    readmission: ClassVar[Readmission] = "none"
    """How a site returns that has lost all state except its number of items. `report`: it sends that number and goes on
    from there (`returned_site`, `Server.readmit`). `anew`: the server collects the numbers of all sites, and the
    protocol starts again from these. `none`: there is no rule. A server that has lost its state restarts by `anew`,
    unless there is no rule."""

    @property
    def accuracy(self) -> float | None:
        """The promised relative error alpha; None if nothing is promised."""
        alpha: float | None = getattr(self, "alpha", None)
        return alpha

    @abstractmethod
    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        """Return the k sites.

        Parameters
        ----------
        k
            Number of sites, at least 1.
        rng
            The sites' own `numpy.random.Generator`, shared by the k of them.
        start
            Items that each site has received before, known to all; empty for none.
        """

    @abstractmethod
    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        """Return the server; `rng` is its own generator, `start` as for `sites`."""

    @classmethod
    def returns(cls, server: bool) -> bool:
        """Return whether a site without its state comes back by a rule; or for True, the server."""
        return cls.readmission != "none"

    def returned_site(self, k: int, rng: np.random.Generator, items: int) -> Site:
        """Return a site that has returned without its state, after `items` items; for `readmission` by report."""
        raise NotImplementedError(f"{type(self).__name__} does not say how a site comes back")

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> Any:
        """Return all sites and the server as arrays, for the engine `compiled`; None if there is no such form.

        `site_rng` and `server_rng` are the generators that `sites` and `server` would be given, `start` as for them. It
        must draw what they draw, in their order. Of a tracker it is a `disttrack.protocols.kernel.KernelForm`; other
        tasks have forms of their own.
        """
        return None

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return an upper bound on the expected words of a game in which its guarantee holds; infinity for none."""
        return float("inf")

    def quick_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return `cost_bound`, or a larger bound where computing `cost_bound` takes more than milliseconds."""
        return self.cost_bound(k, items, start)

    def known(self, k: int) -> dict[str, Any]:
        """Return what an adversary knows of it in a game of k sites: kind, parameters and values derived from them."""
        return {"kind": self.kind, **self.as_mapping()}

    @property
    def lost_guarantee(self) -> str:
        """Why its class does not inherit the guarantee of the one that it extends, in words; empty if it does."""
        if not (rule := void_by(type(self), "guarantee")):
            return ""
        changed = f"{rule}()" if isroutine(getattr_static(type(self), rule)) else rule
        return f"{type(self).__name__} changes {changed} and inherits no guarantee"

    shortcuts: ClassVar = {
        "kernel_form": Shortcut(kernel_form),
        "cost_bound": Shortcut(cost_bound),
        "quick_bound": Shortcut(quick_bound, of=("cost_bound",)),
        "guarantee": Shortcut("none", of=("accuracy",)),
        "one_sided": Shortcut(False),
        "draws_coins": Shortcut(True),
        "readmission": Shortcut("none"),
        "returned_site": Shortcut(returned_site),
    }
    descriptions = frozenset({"accuracy", "known", "lost_guarantee", "returns", "carries"})


def bound_by_doublings(items: int, start: int, early: float, each: float, known: float = 0.0, copies: int = 1) -> float:
    """Return a bound on the words of a protocol that pays once per item at first, and then per doubling of the count.

    Parameters
    ----------
    items, start
        Items of the game, and before it.
    early
        The count up to which each item is sent.
    each
        Words per doubling from there on.
    known
        Words per doubling up to there, for announcements of the count.
    copies
        Words per item.
    """
    if start + items < max(early, 1):  # with the last of these items the first round begins
        return float(items) * copies + known * (1 + log2(1 + start + items))
    doublings = log2((start + items) / max(start, early, 1)) + 1
    first = max(0.0, early - start) * copies + (known * log2(early) if start < early else 0.0)
    return first + doublings * each


class RoundCost(NamedTuple):
    """What a round costs, or a bound on it."""

    early: int
    """The count from which on the round is worth it; each item is sent before."""
    signals: float
    """Words of its signals."""
    others: float
    """All other words: of polls, answers and announcements."""
    gained: float
    """Its items."""


def bound_by_rounds(items: int, start: int, round_of: Callable[[int, float], RoundCost], each: int = 1) -> float:
    """Return a bound on the words of a protocol that sends each item at first, and then pays per round.

    Every round that begins is paid as a whole, also that of the last item: the poll at its end, which is then left out,
    makes up for the announcement of the first.

    Parameters
    ----------
    items, start
        Items of the game, and before it.
    round_of
        Maps a round's number, from 1, and the count at its start to what it costs.
    each
        Signals that an item of a round can cause.
    """
    # counted from the start, so that a few items after very many do not vanish in rounding
    grown, forwarded, signals, others, number = 0.0, 0.0, 0.0, 0.0, 1
    while grown <= items:
        total = start + grown
        of = round_of(number, total)
        if grown < of.early - start:
            forwarded += min(of.early - start, items) - grown
            grown = of.early - start
            continue
        rounds, number = 1.0, number + 1
        if number > STEADY:
            rounds, grown = rounds + log((start + items) / total) / log1p(of.gained / total), inf
        signals, others, grown = signals + rounds * of.signals, others + rounds * of.others, grown + of.gained
    return forwarded + min(signals, each * (items - forwarded)) + others


@lru_cache(maxsize=256, typed=True)  # numbers of two types may be equal, and written otherwise
def ratio(alpha: float) -> tuple[int, int]:
    """Return alpha, or another number, as the fraction that its decimal digits name: 0.05 is (1, 20).

    Comparisons at exact multiples of alpha go wrong in floating point, but not in integers.
    """
    return Fraction(str(alpha)).as_integer_ratio()


def even_start(total: int, k: int) -> list[int]:
    """Return `total` items spread over k sites as evenly as can be."""
    share, rest = divmod(total, k)
    return [share + (site < rest) for site in range(k)]
