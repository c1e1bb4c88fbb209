"""Clocks of simulated machines that run at rates of their own; everything else goes by the time of the world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sim_faults import Fault
from simloom import SimLoop, _context


class Clock:
    """The clock of a machine: that of the world, and what it has gained in faults.

    Parameters
    ----------
    faults
        Those of its rate; where two overlap, both count.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = faults

    def gained(self, now: float) -> float:
        """Return the seconds by which it is ahead of the world at this moment."""
        return sum(one.amount * min(max(0.0, now - one.at), one.length) for one in self._faults)

    def shows(self, now: float) -> float:
        """Return what it shows at this moment of the world."""
        return now + self.gained(now)

    def moment(self, shown: float) -> float:
        """Return when it shows this."""
        ends = sorted({0.0, *(one.at for one in self._faults), *(one.end for one in self._faults)})
        before = max((end for end in ends if self.shows(end) <= shown), default=0.0)
        rate = 1.0 + sum(one.amount for one in self._faults if one.at <= before < one.end)
        return before + (shown - self.shows(before)) / rate


@contextmanager
def own_clocks(clocks: dict[str, Clock]) -> Iterator[None]:
    """Have the loop show each machine its own clock, by name, for a block: its time, and when its timers are due."""
    time, later, at = SimLoop.time, SimLoop.call_later, SimLoop.call_at

    def mine() -> Clock | None:
        host = _context.current_host.get()
        return None if host is None else clocks.get(host.name)

    def own_time(loop: SimLoop) -> float:
        clock, now = mine(), time(loop)
        return now if clock is None else clock.shows(now)

    def own_at(loop: SimLoop, when: float, call: Callable[..., object], *args: Any, **options: Any) -> Any:
        clock = mine()
        return at(loop, when if clock is None else max(time(loop), clock.moment(when)), call, *args, **options)

    def own_later(loop: SimLoop, delay: float, call: Callable[..., object], *args: Any, **options: Any) -> Any:
        return own_at(loop, own_time(loop) + delay, call, *args, **options)

    SimLoop.time, SimLoop.call_later, SimLoop.call_at = own_time, own_later, own_at  # type: ignore[method-assign]
    try:
        yield
    finally:
        SimLoop.time, SimLoop.call_later, SimLoop.call_at = time, later, at  # type: ignore[method-assign]
