"""Goals of the engines: each figure, its baseline in the same run, and whether it is met."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from math import exp
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from benchmarks.baselines import compiled_loop, drawn_loop, naive_simpy, simpy_processes, timeouts
from benchmarks.clock import alternating, in_own_process, seconds
from benchmarks.measured import Figure, at_least
from benchmarks.reactions import Reactions
from disttrack.adversaries import RoundRobin, Uniform, Zipf
from disttrack.protocols import Deterministic, Martingale, Protocol, Randomized, Robust
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import play

EFOLD: Final = exp(1) - 1
K: Final = 1000
ALPHA: Final = 0.05

STREAMS: Final[Sequence[tuple[Protocol, int, int, float]]] = (
    (Deterministic(alpha=ALPHA), K, 5 * 10**7, 0),
    (Deterministic(alpha=ALPHA), K, 10**9, 3),
    (Deterministic(alpha=ALPHA), K, 10**12, 30),
    (Martingale(alpha=0.1), 100_000, 10**9, 3),
)
"""Trackers on random streams, with sites, items, and the longest time wanted; 0 for that of the baseline."""

PARTS: Final = (
    "baselines", "startup", "step", "leap", "share", "sites", "reacting", "compiled", "contents", "items", "trillion",
    "uniform", "million", "workers",
)  # fmt: skip
"""Methods of `Suite`, the cheap ones first."""


class Suite(Reactions):
    """Measures the figures, one after the other."""

    def figures(self, parts: Sequence[str] = ()) -> Iterator[Figure]:
        """Measure the figures of some parts, or of all if none is named."""
        for part in parts or PARTS:
            yield from getattr(self, part)()

    # ------------------------------------------------------------------ baselines

    @cached_property
    def loop(self) -> Callable[[int, float, int], int]:
        """Baseline (b), compiled."""
        return compiled_loop()

    @cached_property
    def item_naive(self) -> float:
        """Seconds per item of baseline (a)."""
        items = self.size(300_000)
        return self.time(lambda: naive_simpy(K, ALPHA, items)) / items

    @cached_property
    def item_compiled(self) -> float:
        """Seconds per item of baseline (b), at 10^9 items."""
        items = self.size(10**9)
        return self.time(lambda: self.loop(K, ALPHA, items)) / items

    @cached_property
    def event(self) -> dict[int, float]:
        """Seconds per event of baseline (c), with 1 process and with k of them."""
        events = self.size(500_000)
        return {number: self.time(lambda n=number: timeouts(n, events)) / events for number in (1, K)}

    def baselines(self) -> Iterator[Figure]:
        """The baselines themselves."""
        yield Figure("(a) naive SimPy, k = 1000", 1 / self.item_naive, "items/s")
        yield Figure("(b) compiled loop, k = 1000", 1 / self.item_compiled, "items/s")
        for processes, each in self.event.items():
            yield Figure(f"(c) SimPy timeouts, {processes} processes", 1 / each, "events/s")

    # ------------------------------------------------------------------ figures

    def step(self) -> Iterator[Figure]:
        """Items of `step` per second, against the same processes written by hand."""
        items = self.size(100_000)
        by_hand = items / self.time(lambda: simpy_processes(16, ALPHA, items))
        rate = items / self.time(lambda: _game(Deterministic(alpha=ALPHA), "step", 16, 0, items))
        baseline = f"(f) the same processes by hand, {by_hand:,.0f} items/s"
        yield at_least("step, deterministic, k = 16", rate, "items/s", baseline, rate / by_hand, 0.8)

    def leap(self) -> Iterator[Figure]:
        """Messages of `leap` per second, against bare timeouts per second."""
        for protocol, wanted, start in (
            (Deterministic(alpha=0.01), 0.5, 10**7),
            (Randomized(alpha=0.001), 0.35, 10**9),
            (Robust(alpha=0.01), 0.35, 10**9),
        ):
            rate, name = self._rate(protocol, "leap", K, start, self.size(int(start * EFOLD)))
            for processes, each in self.event.items():
                baseline = f"(c) with {processes} processes, {1 / each:,.0f} events/s"
                yield at_least(f"leap, {name}", rate, "messages/s", baseline, rate * each, wanted)

    def sites(self) -> Iterator[Figure]:
        """Messages of `compiled` per second at 10^5 sites, of a stream that does not react."""
        k = 100_000
        for protocol, wanted, start in (
            (Deterministic(alpha=0.02), 10e6, 10**10),
            (Randomized(alpha=0.0002), 5e6, 10**12),
            (Robust(alpha=0.02), 5e6, 10**12),
        ):
            rate, name = self._rate(protocol, "compiled", k, start, self.size(int(start * EFOLD)))
            each = self.event[1]
            yield Figure(
                f"compiled, {name}", rate, "messages/s", f"(c) with 1 process, {1 / each:,.0f} events/s", rate * each,
                f"{wanted / 1e6:g} million messages/s", rate >= wanted,
            )  # fmt: skip

    def items(self) -> Iterator[Figure]:
        """`leap` and `compiled` against the compiled loop, at 10^9 items and at 10^12."""
        for engine, wanted in (("leap", 5.0), ("compiled", 100.0)):
            for power in (9, 12):
                items = self.size(10**power)
                took = self.time(lambda e=engine, n=items: _game(Deterministic(alpha=ALPHA), e, K, 0, n))
                compiled = self.item_compiled * items
                measured = "measured" if power == 9 else "computed from 10^9"
                yield at_least(
                    f"{engine}, deterministic, k = 1000, alpha = 0.05, N = 10^{power}", took, "s",
                    f"(b), {compiled:,.4g} s, {measured}", compiled / took, wanted * 10 ** (power - 9),
                )  # fmt: skip

    def trillion(self) -> Iterator[Figure]:
        """Time per message at 10^12 items, against that at 10^9."""
        for engine in ("leap", "compiled"):
            for protocol in (Deterministic(alpha=ALPHA), Robust(alpha=ALPHA)):
                each = [self._rate(protocol, engine, K, 0, self.size(10**power))[0] for power in (12, 9)]
                yield Figure(
                    f"{engine}, {protocol.kind}, k = 1000, alpha = 0.05, N = 10^12", 1e6 / each[0], "us a message",
                    f"the same at N = 10^9, {1e6 / each[1]:.3g} us", each[1] / each[0], "ratio of at most 2",
                    each[1] / each[0] <= 2,
                )  # fmt: skip

    def uniform(self) -> Iterator[Figure]:
        """Games of `compiled` on random streams, against a compiled loop that draws and counts each item."""
        items = self.size(50_000_000)
        for adversary, shares in ((Uniform(), None), (Zipf(), np.arange(1, K + 1) ** -1.1)):
            drawn = drawn_loop(shares)
            for protocol, k, many, limit in STREAMS if shares is None else STREAMS[:3]:
                size: dict[str, Any] = {"sites": k, "items": self.size(many), "engine": "compiled"}
                play(protocol, adversary, **{**size, "items": 1000})  # compiled before it is timed
                works = partial(drawn, k, ALPHA, items), partial(play, protocol, adversary, **size)
                loop, took = self.least(*works)
                loop *= size["items"] / items
                yield Figure(
                    f"compiled, {protocol.kind}, {adversary.kind}, k = {k:,}, N = {many:,}", took, "s of CPU",
                    f"(h) a loop with its own draws, {loop:,.3g} s by that of {items:,} items", loop / took,
                    f"at most {limit:g} s" if limit else "ratio of at least 1", took <= (limit or loop),
                )  # fmt: skip

    def million(self) -> Iterator[Figure]:
        """A million sites over one e-fold: time and memory of a separate process."""
        k = self.size(10**6)
        start = 10_000 * k
        for protocol in ("Deterministic(alpha=0.05)", "Robust(alpha=0.05)"):
            options: dict[str, Any] = {"sites": k, "start": start, "items": int(start * EFOLD), "engine": "compiled"}
            runs = [in_own_process(protocol, options) for _ in range(self.repeats)]
            took = sorted(one["seconds"] for one in runs)[len(runs) // 2]
            memory = max(one["gib"] for one in runs)
            what = f"compiled, {protocol}, k = {k:,}, one e-fold ({runs[0]['messages']:,} messages)"
            loop = self.item_compiled * options["items"]
            baseline = f"(b), {loop:,.1f} s, computed from k = 1000"
            yield Figure(what, took, "s", baseline, loop / took, "at most 60 s", took <= 60)
            yield Figure(what, memory, "GiB at the peak", wanted="at most 2 GiB", met=memory <= 2)

    def workers(self) -> Iterator[Figure]:
        """Two workers against one, on 200 games of 0.2 s each; medians of at most three runs."""
        from disttrack.simulator.experiments.results.files import write_text
        from disttrack.simulator.experiments.runs.runner import run
        from disttrack.simulator.experiments.scenario.load import load

        # a protocol that draws coins, since games that are bound to be equal are played only once
        protocol, length, took_one = Martingale(alpha=0.02, parameters="simple", strength=4), 10**4, 0.0
        while took_one < 0.2 * self.scale:
            length *= 2
            took_one = seconds(lambda n=length: _game(protocol, "leap", 100, 0, n), 3)  # type: ignore[misc]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "short.yaml")
            write_text(
                file,
                f"name: short\ntrials: 200\nsites: 100\nitems: {length}\n"
                "protocol: {kind: martingale, alpha: 0.02, parameters: simple, strength: 4}\n"
                "adversary: {kind: round-robin}\nengine: leap\n",
            )
            scenario = load(file)

            def play_all(workers: int) -> None:
                run(scenario, out=Path(folder, "out"), workers=workers, fresh=True)

            repeats = min(self.repeats, 3)  # a minute each
            took = alternating([partial(play_all, workers) for workers in (1, 2)], repeats)
        alone, both = map(median, took)
        what = f"two workers, 200 games of {alone / 200:.2f} s, medians of {repeats}"
        yield at_least(what, both, "s", f"one worker, {alone:.1f} s", alone / both, 1.8)

    # ------------------------------------------------------------------

    def _rate(self, protocol: Protocol, engine: str, k: int, start: int, items: int) -> tuple[float, str]:
        """Return messages a second, and the game in words."""
        games: list[Game] = []
        took = self.time(lambda: games.append(_game(protocol, engine, k, start, items)))
        number = games[0].messages
        return number / took, f"{protocol.kind}, k = {k:,}, alpha = {protocol.accuracy:g}, {number:,} messages"


def _game(protocol: Protocol, engine: str, k: int, start: int, items: int) -> Game:
    return play(protocol, RoundRobin(), sites=k, items=items, start=start, engine=engine)
