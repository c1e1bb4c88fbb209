"""Requests of a quota: those that wait for the server, came too fast, or were admitted before their costs are known."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import Final

from disttrack.fleet.quotas.sites import QuotaSite


class Waiting:
    """The requests of a site that wait for an answer, the oldest first."""

    def __init__(self) -> None:
        self._answers: deque[asyncio.Future[bool]] = deque()

    async def answer(self, patience: float | None) -> bool:
        """Wait for the answer to one more request; after `patience` seconds it is rejected."""
        answer = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                return bool(await answer)
        return False

    def give(self, answered: int, admitted: int) -> None:
        """Answer the oldest requests, of which the first ones are admitted."""
        for place in range(answered):  # a message answers one; the turn of a window rejects all
            if self._answers:
                answer = self._answers.popleft()
                if not answer.done():
                    answer.set_result(place < admitted)


class Pace:
    """Counts the requests of a process that came in a step which already had one.

    A quota promises its bound for at most one request per step in the whole fleet. A process sees only its own sites,
    so the count is a lower bound.

    Attributes
    ----------
    crowded
        The count.
    """

    def __init__(self) -> None:
        self.crowded = 0
        self._last = -1

    def request(self, step: float) -> None:
        """Count a request that comes now, where a step has this many seconds; 0 for no clock."""
        if step:
            now = int(time.monotonic() / step)
            self.crowded += now == self._last
            self._last = now


REMEMBERED: Final = 10
"""Settlings for which a commit is remembered."""


class Reservations:
    """The reservations of a site, by the numbers of their requests.

    Attributes
    ----------
    asked
        Numbers and prices of the requests that wait for an answer.
    open
        Price, number of the admission, and settlings so far at that time, of those that are neither committed nor over.
    committed
        Costs, and settlings so far, of the last commits.
    settlings
        Settlings so far; a reservation lapses with the second one after its admission.
    """

    def __init__(self) -> None:
        self.asked: deque[tuple[int, int]] = deque()
        self.open: dict[int, tuple[int, int, int]] = {}
        self.committed: dict[int, tuple[int, int]] = {}
        self.settlings = self._admitted = 0

    def note_request(self, site: QuotaSite, price: int) -> None:
        """Note the last request of a site: it waits, was admitted, or was rejected."""
        if len(site.waiting) > len(self.asked):
            self.asked.append((site.offered, price))
        elif site.admitted > self._admitted:
            self._open(site.offered, price)

    def note_answers(self, site: QuotaSite) -> None:
        """Note the answers that a site has given to requests that have waited: the first ones are admitted."""
        while len(self.asked) > len(site.waiting):
            number, price = self.asked.popleft()
            if site.admitted > self._admitted:
                self._open(number, price)

    def _open(self, number: int, price: int) -> None:
        self._admitted += 1
        self.open[number] = price, self._admitted, self.settlings

    def lapse(self, site: QuotaSite) -> int | None:
        """Return the number of the first settling in which one lapses that gives something back; None for none."""
        since = [since for _, admission, since in self.open.values() if site.gives_back(admission)]
        return min(since) + 2 if since else None

    def commit(self, number: int, cost: int) -> tuple[int, int]:
        """Commit one that is open; return the number of its admission, and its price."""
        price, admission, _ = self.open.pop(number)
        self.committed[number] = cost, self.settlings
        return admission, price

    def settle(self, settlings: int) -> list[tuple[int, int]]:
        """Note a settling; return the admissions and the prices of those that lapse."""
        self.settlings = settlings
        over = [number for number, (*_, since) in self.open.items() if since + 2 <= settlings]
        old = [number for number, (_, since) in self.committed.items() if since + REMEMBERED <= settlings]
        for number in old:
            del self.committed[number]
        lapsed = [self.open.pop(number) for number in over]
        return [(admission, price) for price, admission, _ in lapsed]
