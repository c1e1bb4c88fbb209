"""Many independent copies of the randomised tracker, and sketch switching, which uses each for one change.

The copies share the doubling tracker and p. As long as p is 1 they are all equal, and one word serves them; later
a message lists its copies, one word each.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, log1p
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Share, numbers
from disttrack.mechanisms.rules import estimate, gap_scale, next_double, redrawn, sum_of_estimates
from disttrack.protocols.base import (
    EVERYONE,
    FOREVER,
    Guarantee,
    Message,
    Protocol,
    Readmission,
    Server,
    Site,
    bound_by_doublings,
)
from disttrack.protocols.coins import Coins, StraightCoins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.rounds.martingale import strength_for
from disttrack.protocols.sampling.copies_kernel import MOST_CELLS, SwitchingForm, has_grown
from disttrack.protocols.sampling.randomized import LARGEST_COUNT, Randomized
from disttrack.protocols.sampling.server import RandomizedServer

Largest = Annotated[float, numbers("above 1", lambda value: 1 < value < float("inf"))]
"""Type of a planned number of items."""


class CopiesProtocol(Protocol):
    """A protocol whose server keeps many copies of the randomised tracker. Subclasses define these and the server."""

    alpha: Share
    largest: Largest

    readmission: ClassVar[Readmission] = "anew"
    announced: ClassVar[int] = 1
    """Words of an announcement, to each site."""
    hooks = frozenset({"announced"})

    @abstractmethod
    def tracker(self, k: int, start: int = 0) -> Randomized:
        """Return the tracker of each copy, for a game that begins with `start` items."""

    def changes(self, start: int = 0) -> int:
        """Return the largest number of output changes from `start` items to `largest`: a factor 1 + alpha/2 each.

        An output is too high by at most a factor 1 + alpha/8.
        """
        growth = log1p(self.alpha / 8) + log(self.largest / max(start, 1))
        return max(1, ceil(growth / log1p(self.alpha / 2)) + 1)

    @abstractmethod
    def copies(self, start: int = 0) -> int:
        """Return the number of copies for a game that begins with `start` items."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        known, coins = sum(start), Coins(rng)
        tracker, copies = self.tracker(k, known), self.copies(known)
        return [CopiesSite(tracker, k, copies, coins, count, known) for count in start or [0] * k]

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the words: each item once while p is 1, then, per doubling, 4 c sqrt k / alpha + k/2 for each copy."""
        early = self.tracker(k, start).rule(k).early
        each = self.copies(start) * (4 * early + k / 2) + (self.announced + 1.5) * k
        return bound_by_doublings(items, start, early, each, known=(self.announced + 1) * k)


class CopiesSite(Site):
    """A site of `copies` copies.

    Parameters
    ----------
    tracker
        The tracker of which these are copies.
    k
        Number of sites.
    copies
        Number of copies.
    coins
        The coins of the sites.
    before
        Items held before the game.
    known
        Items held by all sites before the game.
    """

    __slots__ = (
        "_coins",
        "_due",
        "_first",
        "_inverse",
        "_last",
        "_rule",
        "_scale",
        "before",
        "count",
        "double",
        "next",
    )

    def __init__(self, tracker: Randomized, k: int, copies: int, coins: Coins, before: int, known: int) -> None:
        self._rule = tracker.rule(k)
        self._coins = coins
        self.before = before
        self.count = before
        self.double = next_double(before)
        self._first = 0
        """The first copy that is still in use."""
        self._last = np.zeros(copies, dtype=np.int64)
        self._due: Any = np.full(copies, FOREVER)
        self._inverse = self._rule.inverse_p(known)
        self._scale = gap_scale(1 / self._inverse)
        if self._inverse > 1:
            self._toss()
        self.next: int = FOREVER
        self._look_ahead()

    def _toss(self) -> None:
        self._due = self.count + self._coins.gap(self._scale, len(self._last))

    def _look_ahead(self) -> None:
        due = self.count + 1 if self._inverse == 1 else int(self._due.min())
        self.next = min(due, self.double)

    def silence(self) -> int:
        return self.next - self.count - 1

    def take(self, items: int) -> Sequence[Message]:
        count = self.count = self.count + items
        if count < self.next:
            return ()
        sent = []
        if self._inverse == 1:
            sent.append(Message("report", (None, count - self.before)))
        else:
            which = np.flatnonzero(self._due == count)
            if len(which):
                self._last[which] = count - self.before
                self._due[which] = count + self._coins.gap(self._scale, len(which))
                sent.append(Message("report", (self._first + which, count - self.before), len(which)))
        if count >= self.double:
            self.double = next_double(count)
            sent.append(Message("double", count))
        self._look_ahead()
        return sent

    def hear(self, message: Message) -> Sequence[Message]:
        known, first = message.value
        if first > self._first:
            self._last = self._last[first - self._first :]
            self._due = self._due[first - self._first :]
            self._first = first
        before, inverse = self._inverse, self._rule.inverse_p(known)
        sent = []
        if inverse != before:
            if before == 1:
                self._last[:] = self.count - self.before  # each copy sent every item
            self._inverse = inverse
            self._scale = gap_scale(1 / inverse)
            anew = redrawn(self._last, before, inverse, self._coins)
            changed = np.flatnonzero(anew != self._last)
            self._last = anew
            if len(changed):
                sent.append(Message("adjust", (self._first + changed, anew[changed]), len(changed)))
            self._toss()
        self._look_ahead()
        return sent


class CopiesServer(RandomizedServer):
    """The server of these copies; subclasses compute the output from the copies' estimates in `look`."""

    __slots__ = ("_missing", "copies", "estimates", "exact")

    def __init__(self, protocol: CopiesProtocol, k: int, start: Sequence[int]) -> None:
        super().__init__(protocol.tracker(k, sum(start)).rule(k), 1, start)
        self.copies = protocol.copies(self.before)
        self.exact: int | None = self.before
        """The estimate of every copy while p is 1; None from then on."""
        self.estimates: Any = None
        """The estimate of each copy, once p is below 1."""
        if self.inverse > 1:
            self._part()
            self._estimate_anew()

    def _part(self) -> None:
        """Give each copy its own numbers."""
        self.exact = None
        self.last: Any = np.repeat(np.array(self.last[0])[:, None], self.copies, axis=1)
        """The last report, one row per site and one column per copy."""

    def _estimate_anew(self) -> None:
        numbers = np.count_nonzero(self.last, axis=0)
        self.estimates = self.before + sum_of_estimates(self.last.sum(axis=0), numbers, self.inverse)
        self._missing = (self.last == 0).any(axis=1).tolist()
        """For each site, whether some copy may have no report from it."""

    @property
    def in_use(self) -> int:
        """The first copy that the sites must continue."""
        return 0

    @abstractmethod
    def look(self) -> None:
        """Update the output after a message."""

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if message.kind == "double":
            return self._double(sender, message.value)
        which, last = message.value
        if self.exact is not None:
            self.exact += last - self.last[0][sender]  # p is 1: the report is for all copies
            self.last[0][sender] = last
        else:
            row = self.last[sender]
            if which is None:
                which = slice(None)  # sent before p changed
            before = row[which]
            if self._missing[sender] or message.kind == "adjust":
                self.estimates[which] += estimate(last, self.inverse) - estimate(before, self.inverse)
                row[which] = last
                self._missing[sender] = not row.all()
            else:  # each of these copies had a report and has one now, so the rest of the estimate is unchanged
                self.estimates[which] += last - before
                row[which] = last
        self.look()
        return ()

    def _double(self, sender: int, count: int) -> Sequence[tuple[int, Message]]:
        self.lower += count - self.doubled[sender]
        self.doubled[sender] = count
        if self.lower < self.next_total:
            return ()
        known = self.announce().value
        if self.inverse > 1:
            if self.exact is not None:
                self._part()
            self._estimate_anew()
        self.look()
        # the message carries the first copy in use only if copies go out of use
        return ((EVERYONE, Message("total", (known, self.in_use), 1 + (self.in_use > 0))),)


CHECKPOINTS: Final = 32
"""Steps at which the copy in use must be right: a factor 1 + alpha/24 apart while N grows by 1 + alpha; p changes."""


@dataclass(frozen=True)
class SketchSwitching(CopiesProtocol):
    """A copy is shown once, when it lets the output grow by 1 + alpha/2; then the next one takes over.

    All copies count all items, since marking the first item of a copy's turn would take a message to each site. Each
    copy is a randomised tracker of accuracy alpha/8, and is right throughout its turn with probability 1 - delta /
    copies: the outputs depend on it only from its turn on. The next broadcast lists the copies that are used up.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    delta
        Probability that the error ever exceeds it, in (0, 1).
    largest
        Planned number of items, which fixes the number of copies: log(largest / start) to the base 1 + alpha/2.
        With more items the last copy stays in use, and nothing is guaranteed any more.

    Source
    ------
    Ben-Eliezer et al. 2022, in Xiong, Zhu, Huang 2023, section 1.2; constants derived.
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2022. An enlarged confidence replaces medians of copies, which would cost
    more.
    """

    alpha: Share
    delta: Share = 0.05
    largest: Largest = LARGEST_COUNT

    kind: ClassVar[str] = "sketch-switching"
    mark: ClassVar = ("#56B4E9", "<")
    faults: ClassVar = {"coarse": "disttrack.protocols.faults:Coarse"}
    guarantee: ClassVar[Guarantee] = "adaptive"
    reveals: ClassVar[str] = "each change concerns a copy that is never used again"
    announced: ClassVar[int] = 2  # with the first copy in use

    def copies(self, start: int = 0) -> int:
        """Return the number of copies for a game that begins with `start` items."""
        return self.changes(start)

    def tracker(self, k: int, start: int = 0) -> Randomized:
        """Return the tracker of each copy.

        Of its alpha/8, alpha/12 is for the steps at which it must be right and the rest for growth in between. An
        estimate there is a sum of k independent geometric gaps over p. It is c sqrt(k)/p too low with probability
        exp(-c^2 / (2 (1 + c / sqrt k))) at most, since E exp(s (p G - 1)) <= exp(s^2 / (2 (1 - s))), and too high
        with less: the tails of the martingale tracker's rounds.
        """
        failure = self.delta / (self.copies(start) * CHECKPOINTS)
        return Randomized(alpha=self.alpha / 12, confidence=strength_for(failure, k))

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm | None:
        if k * self.copies(sum(start)) > MOST_CELLS:
            return None
        server = _Server(self, k, start)
        return SwitchingForm(server, k, StraightCoins(site_rng), 1 + self.alpha / 2, start)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _Server(self, k, start)


class _Server(CopiesServer):
    """Shows the estimate of the copy in use when it has grown by 1 + alpha/2 over the output, and takes the next."""

    __slots__ = ("_growth", "active")

    def __init__(self, protocol: SketchSwitching, k: int, start: Sequence[int]) -> None:
        super().__init__(protocol, k, start)
        self._growth = 1 + protocol.alpha / 2
        self.active = 0
        """The copy in use."""

    @property
    def in_use(self) -> int:
        return self.active

    def look(self) -> None:
        active = self.active
        estimate = self.exact
        if estimate is None:
            estimate = int(self.estimates[active])
        if has_grown(estimate, self._growth, float(self.output)):
            self.output = estimate
            self.active = min(active + 1, self.copies - 1)
