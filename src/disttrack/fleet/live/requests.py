"""Requests of a quota: those that wait for the server, and those that came too fast."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress


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
