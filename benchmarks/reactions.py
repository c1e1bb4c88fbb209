"""Figures of games with a reacting adversary, of many sites with few messages, and of SimPy's share of a message."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import product
from time import process_time
from typing import Any, Final

import numpy as np

from benchmarks.baselines import alarms, beginnings, naive_frequencies, naive_simpy, timeouts
from benchmarks.c_program import compiled_c
from benchmarks.clock import seconds
from benchmarks.measured import Figure
from disttrack.adversaries import Burst, Freeze, RoundRobin, View
from disttrack.adversaries.contents import DrainItem, FreezeItem, ItemAdversary, Pairs, UniformItems, ZipfItems
from disttrack.adversaries.contents.plans import one
from disttrack.adversaries.scripts import Scripted
from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    DifferenceEstimators,
    Exact,
    Martingale,
    PrivateCopies,
    Protocol,
    Randomized,
    Robust,
    SketchSwitching,
)
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
    FrequencySwitching,
    HeavyHitters,
    ItemSample,
    RankDeterministic,
    RankRandomized,
)
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import play
from disttrack.simulator.game.tasks.contents.task import (
    HeavyHitterGame,
    ItemFrequency,
    RankGame,
    SampleGame,
    row_of,
)

TASKS: Final = ItemFrequency(), HeavyHitterGame(), SampleGame(), RankGame()
KINDS: Final = (
    FrequencyDeterministic, FrequencySample, FrequencyRandomized, HeavyHitters, FrequencySwitching, RankDeterministic,
    RankRandomized,
)  # fmt: skip
"""Trackers of items that are played with alpha 0.02."""
OLDER: Final[tuple[Protocol, ...]] = (
    SketchSwitching(alpha=0.1, largest=1e7),
    DifferenceEstimators(alpha=0.1),
    PrivateCopies(alpha=0.1, largest=1e7),
)


class Reactions:
    """The parts of the suite for these figures.

    Parameters
    ----------
    repeats
        Runs per median, or per minimum if two figures are compared by alternating runs.
    scale
        Shrinks the games for a trial run: 1 for the real one.
    """

    def __init__(self, repeats: int = 5, scale: float = 1.0) -> None:
        self.repeats = repeats
        self.scale = scale

    def startup(self) -> Iterator[Figure]:
        """Cost of a site in `leap` before any message, against a SimPy process that only starts."""
        k = self.size(65_536)
        bare = self.time(lambda: beginnings(k)) / k
        for name, adversary in (("all of which wait for something", RoundRobin()), ("one of which is fed", Freeze())):
            options: dict[str, Any] = {"sites": k, "start": 10**9, "items": 1000, "engine": "leap"}
            each = self.time(lambda a=adversary, o=options: play(Martingale(alpha=2**-8), a, **o)) / k
            yield Figure(
                f"leap, martingale, {k:,} sites, {name}", each * 1e6, "us a site",
                f"(d) a SimPy process, {bare * 1e6:.3g} us", each / bare, "at most 5 us a site", each <= 5e-6,
            )  # fmt: skip

    def reacting(self) -> Iterator[Figure]:
        """Games with very many items and sites."""
        k = self.size(65_536)
        for protocol in (Robust(alpha=0.03), Martingale(alpha=0.03)):
            alone = self.time(lambda p=protocol: freeze(p, "compiled", k, 10**12))  # type: ignore[misc]
            what = f"compiled, {protocol.kind} against freeze, k = {k:,}, alpha = 0.03, N = 10^12"
            yield Figure(what, alone, "s", wanted="at most 10 s", met=alone <= 10)

    def compiled(self) -> Iterator[Figure]:
        """`compiled` against all else that plays such a game, and short games, of which a search plays many."""
        bare = 300_000 / self.time(lambda: timeouts(1, 300_000))
        naive = 100_000 / self.time(lambda: naive_simpy(1000, 0.05, 100_000))
        yield Figure("(c) SimPy timeouts, one process", bare, "events/s")
        yield Figure("(a) naive SimPy, k = 1,000", naive, "items/s")
        items = self.size(2_000_000)
        for k in (16, 1024, 65_536):
            for protocol in (Deterministic(alpha=0.03), Randomized(alpha=0.03), Martingale(alpha=0.03)):
                game = freeze(protocol, "compiled", k, items)  # compiled before it is timed
                rates = [
                    game.messages / self.time(lambda p=protocol, e=name, k=k: freeze(p, e, k, items))  # type: ignore[misc]
                    for name in ("compiled", "leap")
                ]
                what = f"compiled, {protocol.kind} against freeze, k = {k:,}, N = {items:,}"
                yield Figure(what, rates[0], "messages/s", f"leap, {rates[1]:,.0f}", rates[0] / rates[1])
        for k, older in product((16, 256), OLDER):
            few = self.size(200_000)
            messages = freeze(older, "compiled", k, few).messages
            rates = [
                messages / self.time(lambda p=older, e=name, k=k, n=few: freeze(p, e, k, n))  # type: ignore[misc]
                for name in ("compiled", "leap")
            ]
            what = f"compiled, {older.kind} against freeze, k = {k}, N = {few:,}"
            yield _beside_leap(what, rates, 20)
        yield from self.by_mail()
        yield from self.beside_c()
        for engine in ("leap", "compiled"):
            options: dict[str, Any] = {"sites": 1024, "items": items, "engine": engine}
            changes = play(Randomized(alpha=0.03), in_turn, **options).output_changes
            each = self.time(lambda o=options: play(Randomized(alpha=0.03), in_turn, **o)) / changes  # type: ignore[misc]
            yield Figure(f"{engine}, randomized against a generator of the user's, k = 1,024", 1 / each, "changes/s")
            short = self.time(lambda e=engine: freeze(Randomized(alpha=0.1), e, 16, 2000))  # type: ignore[misc]
            yield Figure(f"{engine}, randomized against freeze, k = 16, N = 2,000", 1 / short, "games/s")

    def by_mail(self) -> Iterator[Figure]:
        """`compiled` against `leap` where messages take time."""
        rounds = DeterministicRounds(alpha=0.01), Block(alpha=0.03), Robust(alpha=0.1)
        trackers = Exact(), Deterministic(alpha=0.01), Randomized(alpha=0.01), Martingale(alpha=0.02), *rounds
        networks = {"latency": 5}, {"latency": {"exponential": 20}}
        for protocol, adversary, network in product(trackers, (Freeze(), RoundRobin()), networks):
            sizes = {"sites": 256, "items": self.size(30_000 if protocol.kind == "exact" else 1_000_000)}
            options: dict[str, Any] = {**sizes, "network": network}
            game = play(protocol, adversary, engine="compiled", **options)  # compiled before it is timed
            rates = [
                game.messages / self.time(lambda p=protocol, a=adversary, o=options, e=name: play(p, a, engine=e, **o))  # type: ignore[misc]
                for name in ("compiled", "leap")
            ]
            what = f"compiled, {protocol.kind} against {adversary.kind}, k = 256, latency {network['latency']}"
            yield _beside_leap(what, rates, 10)

    def beside_c(self) -> Iterator[Figure]:
        """`compiled` against a C program that plays the same game, where there is a compiler."""
        program = compiled_c()
        for k, whole in ((16, 2000), (1024, 1000)) if program else ():
            protocol, items = Deterministic(alpha=1 / whole), self.size(10**12)
            game = freeze(protocol, "compiled", k, items)  # compiled before it is timed
            of_c = [program(k, items, 1, whole) for _ in range(self.repeats)]  # type: ignore[misc]
            if of_c[0][:2] != [game.messages, game.output_changes]:
                raise AssertionError(f"the C program plays another game: {of_c[0]}")
            rate = game.messages / self.time(lambda p=protocol, k=k, n=items: freeze(p, "compiled", k, n))  # type: ignore[misc]
            c_rate = game.messages / min(row[-1] for row in of_c)
            what = f"compiled, deterministic against freeze, k = {k:,}, alpha = 1/{whole:,}, N = {items:,}"
            yield Figure(
                what, rate, "messages/s", f"(i) a C program, {c_rate:,.0f}", rate / c_rate,
                "at least half", rate >= c_rate / 2,
            )  # fmt: skip

    def contents(self) -> Iterator[Figure]:
        """Items by `compiled` against `leap` and a naive loop, and games of more and more different items."""
        sizes = {"sites": 256, "items": self.size(100_000)}
        trackers: list[Any] = [kind(alpha=0.02) for kind in KINDS]
        naive = naive_frequencies(256, 0.02, sizes["items"])
        for tracker in (*trackers, ItemSample(alpha=0.02, size=1000)):
            task: Any = next(task for task in TASKS if task.kind in tracker.plays)
            for adversary in (ZipfItems(), FreezeItem(), *(() if task.problem.each_item else (DrainItem(),))):
                sides: Any = tracker, adversary, sizes
                messages = task.match(*sides, seed=1, engine="compiled").ledger.messages  # compiled before it is timed
                games = [partial(row_by, name, task, *sides) for name in ("compiled", "leap")]
                taken, leaps, bare = self.least(*games, naive)
                what = f"compiled, {tracker.kind} against {adversary.kind}, k = 256, N = {sizes['items']:,}"
                rate, loop = messages / taken, messages / bare
                baseline = f"leap, {messages / leaps:,.0f}; (g) a naive loop of as many items, {loop:,.0f}"
                goal, met = "5 million messages/s, a tenth of (g)", rate >= 5e6 and rate >= loop / 10
                yield Figure(what, rate, "messages/s", baseline, leaps / taken, goal, met)
        yield self.asked_for_items()
        task, domains = ItemFrequency(), (1000, 100_000, 1_000_000)
        loops = self.least(*(naive_frequencies(16, 0.1, sizes["items"], domain, 0) for domain in domains))
        for engine in ("leap", "compiled"):
            for tracker in (FrequencySample(alpha=0.1), FrequencyDeterministic(alpha=0.1)):
                options = {"sizes": {**sizes, "sites": 16}, "seed": 1, "engine": engine}
                games = [partial(task.match, tracker, UniformItems(domain=domain), **options) for domain in domains]
                times = self.least(*games)
                for domain, taken, bare in zip(domains, times, loops, strict=True):
                    ratio, of_loop = taken / times[0], bare / loops[0]
                    yield Figure(
                        f"{engine}, {tracker.kind}, {domain:,} different items at most", taken, "s",
                        f"1,000 items; (g), of uniform items, {of_loop:.3g} times", ratio,
                        "at most 1.3 times", ratio <= 1.3,
                    )  # fmt: skip

    def asked_for_items(self) -> Figure:
        """An adversary of a user's, beside the loop of its generator alone."""
        sides: Any = FrequencyDeterministic(alpha=0.02), PairsInTurn(), {"sites": 256, "items": self.size(300_000)}
        changes = ItemFrequency().match(*sides, seed=1, engine="compiled").problem.changes
        rate = changes / self.time(lambda: ItemFrequency().match(*sides, seed=1, engine="compiled"))
        view = View(sites=256, items=1, rng=np.random.default_rng(1))
        alone = PairsInTurn().script(view)
        next(alone)
        bare = changes / self.time(lambda: [alone.send(view) for _ in range(changes)])
        what = "compiled, frequency-deterministic against a generator of the user's, k = 256"
        return Figure(what, rate, "changes/s", f"the generator alone, {bare:,.0f}", rate / bare)

    def share(self) -> Iterator[Figure]:
        """SimPy's share of a message in `leap`: its heap and its loop, with empty callbacks."""
        events = self.size(300_000)
        each = self.time(lambda: alarms(1000, events)) / events
        start = 10**7
        games: list[Game] = []

        def game() -> None:
            options: dict[str, Any] = {"items": self.size(int(1.7 * start)), "start": start, "engine": "leap"}
            games.append(play(Deterministic(alpha=0.01), RoundRobin(), sites=1000, **options))

        message = self.time(game) / games[0].messages
        yield Figure(
            "leap, deterministic, k = 1,000: a message", message * 1e6, "us",
            f"(e) an event that sets itself again, {each * 1e6:.3g} us", each / message,
        )  # fmt: skip

    def size(self, whole: int) -> int:
        return max(1000, int(whole * self.scale))

    def time(self, work: Callable[[], object]) -> float:
        return seconds(work, self.repeats)

    def least(self, *works: Callable[[], object]) -> list[float]:
        """Return the least processor time of up to three runs of each, in turn, as others may use the machine."""
        rounds = [[seconds(work, 1, process_time) for work in works] for _ in range(min(3, self.repeats))]
        return [min(times) for times in zip(*rounds, strict=True)]


def _beside_leap(what: str, rates: Sequence[float], least: int) -> Figure:
    """Return messages per second of `compiled` beside those of `leap`, with the least ratio."""
    ratio = rates[0] / rates[1]
    goal = f"at least {least} times"
    return Figure(what, rates[0], "messages/s", f"leap, {rates[1]:,.0f}", ratio, goal, ratio >= least)


def row_by(engine: str, task: Any, *sides: Any) -> object:
    """Play a game of items by an engine, and return its row."""
    return row_of(task.match(*sides, seed=1, engine=engine))


def freeze(protocol: Protocol, engine: str, k: int, items: int) -> Game:
    """Play a game against `freeze`."""
    return play(protocol, Freeze(), sites=k, items=items, engine=engine)


class PairsInTurn(Scripted, ItemAdversary):
    """A user's: feeds sites in turn with an item until an estimate changes, and then with the next item."""

    kind = "pairs-in-turn"

    def script(self, view: View) -> Generator[Pairs, View, None]:
        place = 0
        while True:
            view = yield one(place % view.sites, place // view.sites % 100)
            place += 1


def in_turn(view: View) -> Generator[Burst, View, None]:
    """Feed a site until the output changes, then the next, as the README's function does."""
    site = 0
    while True:
        view = yield Burst(site)
        site = (site + 1) % view.sites
