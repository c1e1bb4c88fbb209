"""Processes that stand still: nothing of a machine runs for a time, and all that has become due then runs at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simloom import SimLoop, _context


class Pauses:
    """The machines that stand still, by name, and what of them has become due.

    Parameters
    ----------
    loop
        The loop of all machines.
    """

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop
        self._due: dict[str, list[asyncio.Handle]] = {}

    def begin(self, name: str) -> None:
        """Have a machine stand still from now on."""
        self._due.setdefault(name, [])

    def end(self, name: str) -> None:
        """Have a machine go on, if it stands still; before it is killed too, so that the loop knows what ends."""
        self._loop._ready += self._due.pop(name, [])

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what becomes due of machines that stand still from running, for a block."""
        run: Callable[[asyncio.Handle], None] = asyncio.Handle._run

        def mine(handle: asyncio.Handle) -> None:
            host = handle._context.get(_context.current_host) if self._due else None
            if host is not None and host.name in self._due:
                self._due[host.name].append(handle)
            else:
                run(handle)

        asyncio.Handle._run = mine  # type: ignore[method-assign]
        try:
            yield
        finally:
            asyncio.Handle._run = run  # type: ignore[method-assign]
