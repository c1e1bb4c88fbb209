"""Quota protocols for any interval: tokens that sites hold, each of which rests after its use.

There are as many tokens as may be admitted at once, the pool: T for the shape `sliding`, b for `bucket`. A request
takes as many as it costs. A token is at the server or at one site, and moves only when it is rested.

Sliding: a token that was used rests for W steps at its site. So no token is used twice in any W steps, and

    cost admitted in any W steps <= T.

Bucket: h tokens at a site are a bucket of depth h, filled at the rate h T / (b W). A token moves only if it is in the
bucket, and takes its part of depth and rate along. All buckets together hold at most b, and gain at most T / W per
step, so

    cost admitted in any x steps <= b + x T / W.

Neither bound asks anything of messages, nor that clocks agree. What a site was granted and what it has returned are
sums over its present *life*, which only grow: a message that comes twice, late or never does no harm that a later one
does not repair. A site uses its tokens for `term` slots after it sent the last message that was answered; then its life
is over, and it begins another one. The server counts from the arrival of that message, and takes the tokens back when
they must have rested: so those of a site that died come back too.

A site's clock counts slots of g steps. A token used in slot j was used at most g steps before the end of that slot, so
it may be used again from slot j + ceil((W + g - 1) / g) on. Hence the share of the limit that is lost with W = m g is
1 / (m + 1) under constant load. A bucket is filled at the ends of slots, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from disttrack.fleet.quotas.base import Quota, Shape
from disttrack.fleet.quotas.charges import ChargingSite
from disttrack.fleet.quotas.leases import lease_of, leases_until_none
from disttrack.fleet.quotas.meter import Meter
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import Natural, UpToOne, Whole
from disttrack.protocols.base import EVERYONE, Guarantee, Message


class TokenSite(ChargingSite):
    """Its `left` are the rested tokens, all but those that its meter counts; it asks when they do not cover a request.

    A token that pays for a request rests from the admission on, whenever it is charged.
    """

    __slots__ = (
        "_acked",
        "_checked",
        "_granted",
        "_life",
        "_low",
        "_meter",
        "_number",
        "_open",
        "_refused",
        "_renewed",
        "_returned",
        "_scarce",
    )

    silence = QuotaSite.silence  # stated again: what it notes is no message

    def __init__(self, *parts: Any) -> None:
        self._life, self._number = -1, 0
        """Numbers of its life and of its last question; they survive, as the clock does."""
        super().__init__(*parts)

    @property
    def tokens(self) -> int:
        """All that it holds, those that rest too."""
        return self._granted - self._returned

    def open(self) -> Sequence[Message]:
        self._scarce = False
        self._anew()
        return ()

    def _anew(self, known: int = 0) -> None:
        """Begin a life, without any tokens."""
        self._begin()
        self._life = max(self._life, known) + 1

    def _begin(self) -> None:
        super()._begin()
        self._granted = self._returned = self._low = self._open = 0
        self._refused = False
        self._meter = Meter(self.rule, self.window, 0)
        self._acked = self._checked = self._renewed = self.window
        """Slots of the last message that was answered, of the last look for idle tokens, and of the last renewal."""

    def _gain(self, tokens: int) -> None:
        """Add rested tokens; `_low` keeps the fewest since the last look for those that are not needed."""
        self._low = min(self._low, self.left)
        self.left += tokens

    def _say(self, kind: str, number: int = 0, want: int = 0) -> Sequence[Message]:
        return (Message(kind, (self.window, self._life, self._granted, self._returned, number, want)),)

    # ------------------------------------------------------------------ requests

    def asks(self) -> bool:
        return not self._refused and not self._open

    def ask(self, price: int) -> Sequence[Message]:
        self._number += 1
        self._open = self._number
        return self._say("need", self._number, price)

    def last_words(self) -> Sequence[Message]:
        rested = max(0, self.left)
        self._returned += rested
        return self._say("leave", want=rested - self.left)

    def first_words(self) -> Sequence[Message]:
        self._anew()
        return ()

    def heard(self, message: Message) -> Sequence[Message]:
        if message.kind == "recall":
            self._scarce = True
            return ()
        if message.kind == "anew":
            _, life, known = message.value
            if life == self._life:
                self._anew(known)
            return ()
        _, life, number, sent, granted, scarce = message.value
        if life != self._life:
            return ()
        self._acked, self._scarce = max(self._acked, sent), scarce
        if self.window >= self._acked + self.rule.term:  # a late grant does not lengthen the term
            self._anew()
            return ()
        gain = max(0, granted - self._granted)
        self._granted += gain
        self._gain(gain)
        answered = bool(number) and number == self._open
        self._open = 0 if answered else self._open
        self._refused = not gain if answered else self._refused and not gain
        if self.waiting and (gain or answered):
            price = self.rule.reserve or self.waiting[0]
            fits = price <= self.left
            if fits or answered:
                cost = self.waiting[0]
                self.left -= price if fits else 0
                self.answered(fits)
                if fits:
                    self.pays(price, cost)
        return ()

    def pays(self, price: int, cost: int) -> None:
        super().pays(price, cost)
        self._meter.add(price)

    def correct(self, key: int, refund: int) -> None:
        self._gain(self._meter.correct(key, refund))

    def turns_until(self, price: int) -> int:
        """Return when enough of its tokens have rested; if it holds too few, when it asks once more."""
        lacking = max(1, price - self.left)
        if lacking <= self._meter.spent:
            return self._meter.turns_until(lacking, self.tokens)
        if not self._refused:
            return 0
        return int(max(1, max(self._acked, self._renewed) + self.rule.rest - self.window))

    # ------------------------------------------------------------------ time

    def slot(self) -> Sequence[Message]:
        super().slot()
        if self._granted and self.window >= self._acked + self.rule.term:
            self._anew()
        spent = self._meter.spent
        self._meter.turn(self.window)
        self._gain(spent - self._meter.spent)
        messages = self._renews()
        self._meter.tokens = self.tokens
        return messages

    def _renews(self) -> Sequence[Message]:
        """Return the message of a slot that begins: a return of tokens that are not needed, or a sign of life."""
        rule = self.rule
        due = self.window - max(self._acked, self._renewed) >= rule.rest
        if not due and not (self._scarce and self.window - self._checked >= rule.patience):
            return ()
        self._checked = self.window
        idle = max(0, min(self._low, self.left)) if self._scarce else 0
        self._returned += idle
        self.left -= idle
        self._low = self.left
        if not due or not (self._granted or self._refused or self._open):
            return self._say("return") if idle else ()
        self._renewed = self.window
        while self.waiting:  # the question or its answer is lost
            self.answered(False)
        self._open, self._refused = 0, False
        return self._say("renew")


@dataclass
class Life:
    """What the server knows of a site's life.

    Attributes
    ----------
    number
        Which one it is.
    granted, returned
        Tokens that went to the site, and that came back.
    heard, sent
        Slot by the server's clock of the last message of the site, and by the site's clock of the latest one.
    over
        Whether it has ended.
    """

    number: int = 0
    granted: int = 0
    returned: int = 0
    heard: int = 0
    sent: int = 0
    over: bool = False


class TokenServer(QuotaServer):
    """Grants its tokens, and gives those that come back to the sites that were refused, the first one first.

    Attributes
    ----------
    free
        Its tokens.
    """

    __slots__ = ("_lives", "_recalled", "_refused", "_resting", "free")

    def __init__(self, rule: Any, k: int) -> None:
        super().__init__(rule, k)
        self.free = rule.pool
        self._lives = [Life() for _ in range(k)]
        self._resting: list[tuple[int, int]] = []
        """Of lives that are over, the slot from which tokens are rested, and how many."""
        self._refused: dict[int, int] = {}
        """The sites that were refused, and the price of the request."""
        self._recalled = -rule.patience

    @property
    def now_spent(self) -> int:
        return int(self.rule.pool - self.free)

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        sent, number, granted, returned, question, want = message.value
        life = self._lives[sender]
        if number > life.number and not granted:  # what the life before has used, it has used by now
            self._end(sender, self.window)
            life = self._lives[sender] = Life(number)
        elif number != life.number or life.over or granted > life.granted:  # one of them has lost its state
            return ((sender, Message("anew", (self.window, number, life.number))),)
        life.heard, life.sent = self.window, max(life.sent, sent)
        back = max(0, returned - life.returned)
        life.returned += back
        self.free += back
        replies: list[tuple[int, Message]] = []
        if message.kind == "leave":
            self.free -= want  # costs beyond its tokens
            self._end(sender, self.window, want)
        elif message.kind == "need":
            active = sum(not one.over and one.granted > one.returned for one in self._lives)
            if not self._give(sender, active if life.granted else self.k, want):
                self._refused.setdefault(sender, want)
            replies = [self._grant(sender, question)]
        elif message.kind == "renew":
            self._refused.pop(sender, None)
            replies = [self._grant(sender)]
        return [*replies, *self._share(), *self._recall()]

    def _give(self, site: int, sites: int, price: int) -> int:
        lease: int = self.rule.granted(max(1, sites), self.free, price)
        self.free -= lease
        self._lives[site].granted += lease
        if lease:
            self._refused.pop(site, None)
        return lease

    def _grant(self, site: int, question: int = 0) -> tuple[int, Message]:
        life = self._lives[site]
        value = self.window, life.number, question, life.sent, life.granted, bool(self._refused)
        return site, Message("grant", value)

    def _share(self) -> Iterator[tuple[int, Message]]:
        """Give what has come back to the sites that were refused."""
        for site, price in list(self._refused.items()):
            if self.window > self._lives[site].heard + self.rule.term:
                del self._refused[site]  # it could not use a grant, and asks again when it is heard
            elif self._give(site, len(self._refused), price):
                yield self._grant(site)
            else:
                return

    def _recall(self) -> Sequence[tuple[int, Message]]:
        """Ask for tokens that are not needed, if a site was refused; not again before that has had time to work."""
        if not self._refused or self.window < self._recalled + self.rule.patience:
            return ()
        self._recalled = self.window
        return ((EVERYONE, Message("recall", (self.window,))),)

    def _end(self, site: int, slot: int, debt: int = 0) -> None:
        """End a site's life, in which nothing is admitted after this slot; a stall of the clock delays its turns."""
        life = self._lives[site]
        if not life.over and (tokens := life.granted - life.returned + debt):
            self._resting.append((slot + self.rule.rest + self.rule.patience, tokens))
        life.over = True
        self._refused.pop(site, None)

    def lose(self, site: int) -> None:
        life = self._lives[site]
        self._end(site, life.heard + 1 + self.rule.term)

    def turn(self) -> Sequence[tuple[int, Message]]:
        self.window += 1
        for site, life in enumerate(self._lives):
            if self.window > life.heard + self.rule.term + self.rule.patience and not life.over and life.granted:
                self.lose(site)
        self.free += sum(tokens for slot, tokens in self._resting if slot <= self.window)
        self._resting = [one for one in self._resting if one[0] > self.window]
        return list(self._share())


@dataclass(frozen=True)
class Tokens(Quota):
    """What both kinds share: a site that has too few tokens asks, and gets a fraction of those at the server.

    When there are none, the site is refused, and gets those that come back. All sites are then asked for tokens that
    they did not need in the last sixteenth of a span.

    Parameters
    ----------
    fraction
        A site gets this part of the tokens at the server, over the sites that ask, and at least the request's price.
    slots
        Slots in the time after which the limit comes back.
    """

    fraction: UpToOne = 0.5
    slots: Whole = 64  # type: ignore[misc]

    guarantee: ClassVar[Guarantee] = "always"

    @property
    def term(self) -> int:
        """The slots for which a site may use its tokens after it sent the last message that was answered."""
        return 2 * self.rest

    @property
    def patience(self) -> int:
        """The slots after which a token counts as not needed; the server also waits for them if a clock stalls."""
        return max(1, self.rest // 16)

    def granted(self, sites: int, left: int, price: int) -> int:
        """Return the tokens for one of several sites that ask, if this many are left; 0 for none."""
        return lease_of(self.fraction, sites, left, price)

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return TokenSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return TokenServer(self, k)

    def waiting(self, trip: float) -> float:
        return min(1.0, trip)

    def stops(self, k: int, trip: float) -> float:
        """Return one a site, and one more for a life that ends because no answer comes in time."""
        if trip <= self.period * (self.rest - 1):
            return k
        return 2.0 * k if self.shape == "sliding" else inf

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return three words per request, or lease if these are fewer, and what each site sends and gets by the clock.

        It is for N steps, if no site leaves and messages take no time. Let g be the steps of a slot, n = N / g + 1, m
        the slots for which a token rests, and p = max(1, floor(m / 16)) those after which a site looks for tokens that
        it did not need. By the clock a site looks at most n / p times, and returns tokens in a message each time; it
        renews its life at most n / m times, with two messages. The server asks all for tokens at most n / p + 1 times,
        which are k words.

        A question that is granted costs two words. One that is refused costs two, and a third one if the site gets
        tokens later. A refused site asks again only after it got tokens or renewed its life. So with G leases the
        questions cost at most 3 G + 2 k (n / m + 1) words, and at most 3 N.

        Let F(z) be the most leases of a rest of z tokens, z up to a = k / fraction and a (2 + ln(z / a)) beyond: each
        lease lowers F of what is left by at least 1. F is concave, so tokens that come back raise it by F of their
        number at most. Those that come back within p slots were all idle at one moment, so they are at most the pool P,
        in at most k messages: G <= F(P) + (n / p + 1) k F(P / k).
        """
        slots = items / self.period + 1
        looks, renewals = slots / self.patience + 1, slots / self.rest + 1
        at_once, again = (leases_until_none(self.fraction, k, tokens) for tokens in (self.pool, self.pool / k))
        leases = at_once + looks * k * again
        return min(3.0 * items, 3.0 * leases + 2.0 * k * renewals) + 2.0 * k * (looks + renewals)

    slack = Quota.slack


@dataclass(frozen=True)
class SlidingLease(Tokens):
    """At most the limit in any window of steps, whatever happens to messages, sites and clocks.

    Source
    ------
    derived in its module: tokens that rest for a window after their use.
    """

    kind: ClassVar[str] = "sliding-lease"
    shape: ClassVar[Shape] = "sliding"
    guarantee: ClassVar[Guarantee] = "always"
    slack = Quota.slack
    cost_bound = Tokens.cost_bound


@dataclass(frozen=True)
class BucketLease(Tokens):
    """A bucket for the whole fleet, at most b + x T / W in any x steps, whatever happens to messages, sites and clocks.

    Parameters
    ----------
    depth
        Depth of the bucket, b; the limit per window is the rate at which it is filled.

    Source
    ------
    derived in its module: a token bucket, divided into buckets whose depths add up to its own.
    """

    depth: Natural = 0  # type: ignore[misc]

    kind: ClassVar[str] = "bucket-lease"
    shape: ClassVar[Shape] = "bucket"
    guarantee: ClassVar[Guarantee] = "always"
    slack = Quota.slack
    cost_bound = Tokens.cost_bound
