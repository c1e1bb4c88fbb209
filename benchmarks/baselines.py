"""Baselines of the engines: simple ways to play the same game, and idle SimPy processes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from fractions import Fraction
from typing import Any

import numpy as np
import simpy

from disttrack.adversaries.oblivious import alias_table, draw


def naive_simpy(sites: int, alpha: float, items: int) -> int:
    """(a) Play the deterministic tracker under round-robin with one SimPy event per item; return its messages.

    Does only the minimum: no verdict, no ledger, no schedule. Anything more would make it slower.
    """
    env = simpy.Environment()
    extra = Fraction(str(alpha))
    num, den = extra.numerator, extra.denominator
    counts, due, reported = [0] * sites, [1] * sites, [0] * sites
    messages = output = 0

    def feed() -> Generator[simpy.Event, Any, None]:
        nonlocal messages, output
        for item in range(items):
            yield env.timeout(1)
            site = item % sites
            counts[site] += 1
            count = counts[site]
            if count >= due[site]:
                output += count - reported[site]
                reported[site] = count
                due[site] = count + count * num // den + 1
                messages += 1

    env.process(feed())
    env.run()
    return messages


def simpy_processes(sites: int, alpha: float, items: int) -> int:
    """(f) Play it with a SimPy process and a store for each site and the server, and return its messages.

    These are the processes of `step`, again with no verdict, no ledger and no schedule.
    """
    env = simpy.Environment()
    extra = Fraction(str(alpha))
    num, den = extra.numerator, extra.denominator
    to_site, to_server = [simpy.Store(env) for _ in range(sites)], simpy.Store(env)
    messages = output = 0

    def site(number: int) -> Generator[simpy.Event, Any, None]:
        count, due, reported = 0, 1, 0
        while True:
            yield to_site[number].get()
            count += 1
            if count >= due:
                to_server.put(count - reported)
                reported = count
                due = count + count * num // den + 1

    def server() -> Generator[simpy.Event, Any, None]:
        nonlocal messages, output
        while True:
            output += yield to_server.get()
            messages += 1

    def feed() -> Generator[simpy.Event, Any, None]:
        for item in range(items):
            yield env.timeout(1)
            to_site[item % sites].put(1)

    for number in range(sites):
        env.process(site(number))
    env.process(server())
    env.process(feed())
    env.run()
    return messages


def compiled_loop() -> Callable[[int, float, int], int]:
    """(b) Return a compiled loop that plays the same game item by item; needs numba.

    Raises
    ------
    ImportError
        If numba is not installed.
    """
    from numba import njit  # extra `bench`

    @njit(cache=False)  # type: ignore[untyped-decorator, unused-ignore]
    def loop(counts: Any, due: Any, reported: Any, items: int, num: int, den: int) -> int:
        messages, output, site = 0, 0, 0
        for _ in range(items):
            count = counts[site] + 1
            counts[site] = count
            if count >= due[site]:
                output += count - reported[site]
                reported[site] = count
                due[site] = count + count * num // den + 1
                messages += 1
            site += 1
            if site == len(counts):
                site = 0
        return messages if output <= items else -1

    def play(sites: int, alpha: float, items: int) -> int:
        import numpy as np

        extra = Fraction(str(alpha))
        arrays = np.zeros(sites, np.int64), np.ones(sites, np.int64), np.zeros(sites, np.int64)
        return int(loop(*arrays, items, extra.numerator, extra.denominator))

    play(2, 0.1, 100)  # compile before timing
    return play


def drawn_loop(shares: Any = None) -> Callable[[int, float, int], int]:
    """(h) Return a compiled loop that draws the site of each item and plays the same game; needs numba.

    Parameters
    ----------
    shares
        Numbers to which the probabilities of the sites are proportional, drawn by alias tables; uniform if left out.
    """
    import numpy as np
    from numba import njit

    from disttrack.adversaries.oblivious import alias_table

    uneven = shares is not None
    threshold, alias = alias_table(shares) if uneven else (np.zeros(1), np.zeros(1, np.uint16))

    @njit(cache=False)  # type: ignore[untyped-decorator, unused-ignore]
    def loop(counts: Any, due: Any, reported: Any, items: int, num: int, den: int) -> int:
        messages, output = 0, 0
        for _ in range(items):
            if uneven:
                place = np.random.random() * len(threshold)  # noqa: NPY002  # numba's
                site = int(place)
                if place - site >= threshold[site]:
                    site = int(alias[site])
            else:
                site = int(np.random.random() * len(counts))  # noqa: NPY002
            count = counts[site] + 1
            counts[site] = count
            if count >= due[site]:
                output += count - reported[site]
                reported[site] = count
                due[site] = count + count * num // den + 1
                messages += 1
        return messages if output <= items else -1

    def play(sites: int, alpha: float, items: int) -> int:
        extra = Fraction(str(alpha))
        arrays = np.zeros(sites, np.int64), np.ones(sites, np.int64), np.zeros(sites, np.int64)
        return int(loop(*arrays, items, extra.numerator, extra.denominator))

    play(len(threshold), 0.1, 100)  # compile before timing
    return play


def timeouts(processes: int, events: int) -> None:
    """(c) Let `processes` SimPy processes sleep repeatedly, `events` times in total, and do nothing else.

    Each of k processes sleeps for k steps, and they wake one after the other, as k sites under round-robin.
    """
    env = simpy.Environment()

    def sleep(first: int) -> Generator[simpy.Event, Any, None]:
        timeout = env.timeout
        yield timeout(first)
        while True:
            yield timeout(processes)

    for number in range(processes):
        env.process(sleep(number + 1))
    env.run(until=events + 0.5)


def beginnings(processes: int) -> None:
    """(d) Start `processes` SimPy processes, each of which then waits for an event that never comes."""
    env = simpy.Environment()

    def wait() -> Generator[simpy.Event, Any, None]:
        yield env.event()

    for _ in range(processes):
        env.process(wait())
    env.run(until=1)


def alarms(number: int, events: int) -> None:
    """(e) Let `number` SimPy events reschedule themselves, `events` times in total: SimPy's share of `leap`."""
    env = simpy.Environment()
    schedule = env.schedule

    def ring(event: simpy.Event) -> None:
        event.callbacks = callbacks
        schedule(event, 1, number)  # type: ignore[arg-type]

    callbacks = [ring]
    for first in range(number):
        event = env.event()
        event._ok, event._value, event.callbacks = True, None, callbacks
        schedule(event, 1, first + 1)  # type: ignore[arg-type]
    env.run(until=events + 0.5)


def naive_frequencies(
    sites: int, alpha: float, items: int, domain: int = 1000, exponent: float = 1.1
) -> Callable[[], int]:
    """(g) Return a game of `frequency-deterministic` against `zipf-items` in one compiled loop over arrays.

    It draws as the adversary does, and counts messages, with no verdict and no ledger.
    """
    import numba

    table = alias_table(np.arange(1, domain + 1, dtype=float) ** -exponent)

    @numba.njit
    def loop(fed: Any, named: Any, copies: Any, counts: Any, due: Any, estimates: Any) -> int:
        scale, known, messages, told = 1, 0, 0, np.zeros(len(counts))
        for step in range(len(fed)):
            site, item = fed[step], named[step]
            counts[site] += 1
            copies[item, site] += 1
            if copies[item, site] >= scale:
                copies[item, site] -= scale
                estimates[item] += scale
                messages += 1
            if counts[site] >= due[site]:
                due[site] = int(1.2 * counts[site]) + 1
                known += counts[site] - told[site]
                told[site] = counts[site]
                messages += 1
                if alpha * known / len(counts) > 1.2 * scale:
                    scale = 1 + int(alpha * known / len(counts))
        return messages

    def game() -> int:
        rng = np.random.default_rng(1)
        arrays = [np.zeros(size, dtype=np.int64) for size in ((domain, sites), sites, sites, domain)]
        return int(loop(rng.integers(sites, size=items), draw(table, items, rng), *arrays))

    game()  # compiled before it is timed
    return game
