"""The sites and the server of a quota: a site admits or rejects each request at once, by what it knows.

What it knows is its `left`, the cost that it may still admit by itself in this window. Windows are numbered, and the
first value of a message is the number of its window: what belongs to a window that is over is dropped, and what belongs
to one that has not begun at a site waits there. With another shape than `window` the numbers are those of slots, which
begin nothing anew: nothing is dropped or waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from disttrack.fleet.quotas.amounts import refund_of
from disttrack.fleet.quotas.costs import Costs
from disttrack.fleet.quotas.meter import meter_of
from disttrack.protocols.base import FOREVER, Message, Server, Site


class Answers(list[bool | None]):
    """The last answer of each site, None before its first, and how often one of them changed: seen by the adversary.

    Attributes
    ----------
    book
        Notes what comes and what is admitted, for exact measures; None for nobody.
    """

    book: Any = None

    def __init__(self, k: int) -> None:
        super().__init__([None] * k)
        self.changes = 0

    def give(self, site: int, admitted: bool) -> None:
        """Note the answer of a site to a request."""
        if self[site] is not admitted:
            self[site] = admitted
            self.changes += 1


class QuotaSite(Site):
    """A site that admits a request if its `left` covers it, and else rejects it or asks.

    Attributes
    ----------
    left
        Cost that it may still admit by itself in this window.
    held
        Cost admitted since its last report, reserves included.
    window
        Number of the present window by its own clock, from 0.
    offered, admitted, admitted_cost
        Requests that came, requests admitted, and the cost of these.
    present
        Whether it is in the fleet; a request to a site that is not is rejected.
    waiting
        Costs of the requests that wait for an answer of the server.
    """

    __slots__ = (
        "_early",
        "_known",
        "_settled",
        "admitted",
        "admitted_cost",
        "answers",
        "costs",
        "held",
        "k",
        "left",
        "number",
        "offered",
        "present",
        "rule",
        "waiting",
        "window",
    )

    def __init__(self, rule: Any, number: int, k: int, answers: Answers) -> None:
        self.rule, self.number, self.k, self.answers = rule, number, k, answers
        self.costs: Costs = rule.listed.of(number, k)
        self.offered = self.admitted = self.admitted_cost = self.window = 0
        self.waiting: deque[int] = deque()
        self._early: list[Message] = []
        """Messages for windows that have not begun."""
        self.present = True
        self._begin()
        self.open()

    # ------------------------------------------------------------------ what a kind defines

    def open(self) -> Sequence[Message]:
        """Begin a window: set `left`, and return what is sent."""
        return ()

    def silent(self) -> int:
        """Return how many requests it may admit before it sends a message."""
        return FOREVER

    def charged(self) -> Sequence[Message]:
        """Return what it sends after admissions."""
        return ()

    def asks(self) -> bool:
        """Return whether it would ask the server about a request that `left` does not cover."""
        return False

    def reach(self) -> int:
        """Return the largest cost of a request that it does not reject at once, answers that are due aside."""
        return self.left

    def ask(self, price: int) -> Sequence[Message]:
        """Return the question about a request, which waits for the answer."""
        raise NotImplementedError

    def heard(self, message: Message) -> Sequence[Message]:
        """Take a message for the present window, and return what is sent back."""
        return ()

    def slot(self) -> Sequence[Message]:
        """Begin a slot, if the shape is not `window`; return what is sent."""
        return ()

    def flush(self) -> Sequence[Message]:
        """Return what it sends each `every` steps."""
        return ()

    def last_words(self) -> Sequence[Message]:
        """Return what it sends when it leaves."""
        return ()

    def first_words(self) -> Sequence[Message]:
        """Return what it sends when it has come, with nothing `left`."""
        return ()

    hooks = frozenset(
        {
            "open",
            "silent",
            "charged",
            "asks",
            "reach",
            "ask",
            "heard",
            "slot",
            "flush",
            "last_words",
            "first_words",
            "turns_until",
            "gives_back",
        },
    )

    def turns_until(self, price: int) -> int:
        """Return after how many turns of its clock, at the earliest, it may admit a request that it rejects now.

        It is 0 if only the answer to a question is missing, as when a request comes while another one waits. Flushes
        and settlings are not counted, nor what another site gives back in the meantime.
        """
        return 1

    # ------------------------------------------------------------------ messages and requests

    def hear(self, message: Message) -> Sequence[Message]:
        if self.rule.shape != "window":
            return self.heard(message) if self.present else ()
        if message.value[0] > self.window:
            self._early.append(message)
        return self.heard(message) if message.value[0] == self.window and self.present else ()

    def silence(self) -> int:
        run, last = self._fitting(), self.answers[self.number]
        if run:
            return min(run, self.silent()) if last is True else 0
        if self.present and self.asks():
            return 0
        return self.rejecting() if last is False else 0

    def rejecting(self) -> int:
        """Return how many of the next requests it rejects before it admits one, or asks about one."""
        if not self.present or (self.rule.reserve and self.left < self.rule.reserve):
            return FOREVER
        return self.costs.too_dear(self.offered, self.reach())

    def take(self, items: int) -> Sequence[Message]:
        if self.answers.book is not None:
            self.answers.book.comes(self, items)
        if items > 1:  # all but the last are within the quota, and answered alike
            self._admit(items - 1) if self._fitting() else self._reject(items - 1)
        if self._fitting():
            self._admit(1)
            return self.charged()
        if not self.present or not self.asks():
            self._reject(1)
            return ()
        cost = self.costs.total(self.offered, 1)
        self.waiting.append(cost)
        if self.answers.book is not None:
            self.answers.book.waits(self)
        self.offered += 1
        return self.ask(self.rule.reserve or cost)

    def covers(self, budget: int) -> int:
        """Return how many of the next requests a budget covers."""
        reserve: int = self.rule.reserve
        return max(0, budget) // reserve if reserve else self.costs.fitting(self.offered, budget)

    def _fitting(self) -> int:
        return self.covers(self.left) if self.present else 0

    def _admit(self, requests: int) -> None:
        cost = self.costs.total(self.offered, requests)
        price = requests * self.rule.reserve or cost
        if self.answers.book is not None:
            self.answers.book.admits(self, requests)
        self.offered += requests
        self._count(requests, cost)
        self.left -= price
        self.held += price

    def _count(self, requests: int, cost: int) -> None:
        self.admitted += requests
        self.admitted_cost += cost
        self.answers.give(self.number, True)

    def _reject(self, requests: int) -> None:
        self.offered += requests
        self.answers.give(self.number, False)

    def answered(self, admitted: bool) -> None:
        """Answer the request that waits longest, if one does."""
        if not self.waiting:
            return
        cost = self.waiting.popleft()
        if self.answers.book is not None:
            self.answers.book.answers(self, admitted, cost)
        if admitted:
            self._count(1, cost)
        else:
            self.answers.give(self.number, False)

    # ------------------------------------------------------------------ time

    def _begin(self) -> None:
        """Forget what belongs to the window before."""
        self.left = self.held = 0
        self._known = self._settled = (self.admitted, self.admitted_cost)
        while self.waiting:
            self.answered(False)

    def turn(self) -> Sequence[Message]:
        """Begin the next window, or slot."""
        self.window += 1
        if self.rule.shape != "window":
            return self.slot() if self.present else ()
        self._begin()
        if not self.present:
            return ()
        messages = self.open()
        due = [message for message in self._early if message.value[0] == self.window]
        self._early = [message for message in self._early if message.value[0] > self.window]
        for message in due:
            self.heard(message)  # with nothing held it sends nothing back
        return messages

    def learn_costs(self) -> Sequence[Message]:
        """Replace reserves by costs, for the requests that were admitted up to the settling before."""
        self._settle(*self._known)
        self._known = (self.admitted, self.admitted_cost)
        return self.charged() if self.present else ()

    def _settle(self, requests: int, cost: int) -> None:
        """Replace reserves by costs, up to this number of admissions and their cost."""
        requests_before, cost_before = self._settled
        refund = refund_of(requests - requests_before, self.rule.reserve, cost - cost_before)
        self._settled = (requests, cost)
        self._refund(requests, refund)

    def _refund(self, number: int, refund: int) -> None:
        """Give back what the admissions up to this number, or with `commit` this one, took beyond their cost."""
        self.left += refund
        self.held -= refund

    def commit(self, number: int, price: int, cost: int) -> None:
        """Replace what an admission took by its cost, if the limit has not come back since; without a reserve."""
        self.admitted_cost += cost - price
        if self.counts(number):
            self._refund(number, price - cost)

    def counts(self, number: int) -> bool:
        """Return whether an admission is one of the present window, or of another shape of the present life."""
        return number > self._settled[0]

    def gives_back(self, number: int) -> bool:
        """Return whether the site may admit more for what the cost of an admission is below its reserve."""
        return self.counts(number)

    def leave(self, dies: bool) -> Sequence[Message]:
        """Leave the fleet: in order, with all costs settled and a last message, or by death without either."""
        messages: Sequence[Message] = ()
        if self.present and not dies:
            if self.rule.reserve:
                self._settle(self.admitted, self.admitted_cost)
            messages = self.last_words()
        self.present = False
        self._begin()
        self._early.clear()
        return messages

    def join(self) -> Sequence[Message]:
        """Come into the fleet; what it knew is lost, except the clock."""
        self.present = True
        return self.first_words()


class QuotaServer(Server):
    """The server: what was spent in each window that is not over, by its reports.

    Its output, which the adversary sees, is the number of changes of the sites' answers.
    """

    __slots__ = ("answers", "k", "meter", "rule", "spent", "window")
    rounds = 0  # a window is none

    def __init__(self, rule: Any, k: int) -> None:
        self.rule, self.k = rule, k
        self.window = 0
        self.meter = meter_of(rule)
        """Of another shape than `window`, what is spent."""
        self.spent: dict[int, int] = {0: 0}
        self.answers = Answers(k)

    @property
    def output(self) -> int:  # type: ignore[override]
        return self.answers.changes

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return ()

    def spend(self, window: int, cost: int) -> int:
        """Count a cost in a window; return what is spent there by now."""
        if self.meter is not None:
            self.meter.add(cost)
            return self.meter.spent
        self.spent[window] = self.spent.get(window, 0) + cost
        return self.spent[window]

    @property
    def now_spent(self) -> int:
        """What is known to be spent of the limit at present."""
        return self.spent_in(self.window)

    def spent_in(self, window: int) -> int:
        """Return what is spent in a window, or with another shape at present."""
        return self.spent.get(window, 0) if self.meter is None else self.meter.spent

    def is_past(self, window: int) -> bool:
        """Return whether a message of this window has no effect any more."""
        return self.meter is None and window < self.window and self.rule.clock == "store"

    def lose(self, site: int) -> None:
        """Note that a site has lost its state without coming into the fleet anew."""

    def turn(self) -> Sequence[tuple[int, Message]]:
        """Begin the next window; return what is sent."""
        self.spent = {window: cost for window, cost in self.spent.items() if window > self.window}
        self.window += 1
        if self.meter is not None:
            self.meter.turn(self.window)
        self.spent.setdefault(self.window, 0)
        return ()
