"""The shortest failing game: fewest items, then sites, then moves, with which the same tracker still fails.

A game fails as its verdict says: at a judged step the relative error exceeds alpha (on a network the lag-aware error,
after the warm-up). Candidates are games of the same sides with other sizes and, where chance has a part, other seeds.
A fixed list of moves, and the list of a network's faults, are shortened by delta debugging (Zeller, Hildebrandt 2002,
"Simplifying and isolating failure-inducing input"). Each candidate is played and must fail, so the result is a failing
game whatever was left out.

With chance, some seed fails in a short game whatever the adversary does. So the shortest game that most seeds fail is
looked for as well, without faults of a network, and comes first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import isclose, isfinite
from typing import Any, Final, TypeAlias

from disttrack.adversaries.replay import SKIP, Moves, Run, merged, taken, written
from disttrack.simulator.game.columns import FAILED
from disttrack.simulator.game.network import listed
from disttrack.simulator.game.network.listed import ListedFault
from disttrack.simulator.kinds.names import count

Game: TypeAlias = Any
"""A `disttrack.simulator.game.outcome.Game`, whose module imports this one."""
ONLY_FAILED: Final = "only a failed game can be shorter; the verdict is"
SECONDS: Final = 4.0
"""Processor time after which no further candidate is begun; on a busy machine, or with programs, half as
much again on the clock."""
FEWEST: Final = 8
"""Items that are tried first."""
SEEDS: Final = 20
"""Seeds tried with the moves of a game by another engine, where chance has a part."""
FRUITLESS: Final = 100
"""Further seeds without a shorter game after which the search ends."""
OTHERS: Final = 100
"""Other seeds with which the shortest game is played."""
LAST: Final = 0.5
"""Seconds for these games."""
JURY: Final = 10
"""Other seeds with which a candidate is played of which most seeds must fail."""
ENOUGH: Final = (7, 9, 10)
"""How many of them must fail, tried in turn: the shortest candidate is one with which more of them fail than of all
seeds, so that all seeds have the last word."""


class _Time:
    """A limit of processor time, and of half as much again on the clock."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.process_time() + seconds, time.monotonic() + 1.5 * seconds

    @property
    def over(self) -> bool:
        return time.process_time() > self._ends[0] or time.monotonic() > self._ends[1]


LONGEST: Final = 20_000
"""Steps up to which moves are written out."""

Again = Callable[..., Game]
"""Plays the same sides again: keywords sites, items, seed, record, and moves in place of the adversary."""


@dataclass(frozen=True, repr=False)
class Shortest:
    """A failing game as short as could be found.

    Attributes
    ----------
    game
        The game, recorded; it ends with its first failing step.
    before
        The game that was shortened.
    moves
        Its moves, as `Moves` takes them; None if there are more than `LONGEST`.
    network
        Its network with the faults as a list, as a scenario has it; None without one.
    failing, tried
        Of the same game with other seeds: how many fail, and how many were played. 0 and 0 if chance has no part.
    within
        The items within which most seeds fail with these sizes; the game ends before, where its own seed does.
    chance
        A shorter game of a seed that few others follow; None if there is none, or if `game` is one.
    unlisted
        Whether a fixed list of moves was asked for and none was found, so that the adversary plays.
    """

    game: Game
    before: Game
    moves: str | None
    network: dict[str, Any] | None
    failing: int
    tried: int
    within: int = 0
    chance: Shortest | None = None
    unlisted: bool = False

    @property
    def sizes(self) -> str:
        """The sizes, with the seed if chance has a part."""
        return _sizes(self.game) + (f", seed {self.game.seed}" if self.game.coins else "")

    @property
    def no_number(self) -> str:
        """The last output with its item if it is not finite, else empty."""
        output = _last_output(self.game)
        return "" if isfinite(output) else f"output {output} at item {self.game.start + self.game.items:,}"

    @property
    def text(self) -> str:
        """What is known of it, a row a line: sizes, those before, the failure, other seeds, moves, faults, `chance`."""
        game, before = self.game, self.before
        rows = {
            "shortest": f"{game.protocol} against {game.adversary}, {self.sizes}, {count(game.messages, 'message')}",
            "before": f"{_sizes(before)}, {count(before.messages, 'message')}",
            "fails": self._failure(),
            "other seeds": self._others() if game.coins else "no coin has a part",
        }
        if self.unlisted:
            rows["moves"] = "no fixed list found; the adversary plays"
        if self.network is not None:
            rows["faults"] = str(self.network["faults"] or "none")
        if self.chance is not None:
            listed = self.chance.game.adversary == Moves.kind
            fed = f" against moves '{self.chance.moves}'" if listed else ""
            rows["shorter by chance"] = f"{self.chance.sizes}{fed}; other seeds: {self.chance._others()}"
        return "\n".join(f"{name}: {text}" for name, text in rows.items())

    def _failure(self) -> str:
        """Return the step, the output and what is allowed."""
        items, output, alpha = self.game.start + self.game.items, _last_output(self.game), self.game.alpha or 0.0
        side, bound = ("from", (1 - alpha) * items) if output < items else ("up to", (1 + alpha) * items)
        missed = f"allowed {side} {bound:,g}{', missed by rounding alone' * isclose(output, bound)}"
        if self.game.delayed:
            missed = "beyond what messages on the way allow"
        return f"step {self.game.first_failing_step:,}, output {output:,.6g}, truth {items:,}, {missed}"

    def _others(self) -> str:
        """Return how many of the other seeds that were tried fail too."""
        within = f" within {count(self.within, 'item')}" if self.within else ""
        return f"{self.failing} of {self.tried} fail{within}"

    def test(self, protocol: str, imported: str = "") -> str:
        """Return the game as a test to paste, with the expression that makes the tracker and the line to import it."""
        game = self.game
        start = f", start={game.start}" if game.start else ""
        start += f", network={self.network!r}" if self.network is not None else ""
        return (
            f"from disttrack import Moves, play\n{imported}\n\n"
            "def test_the_shortest_failing_game():\n"
            f"    moves = Moves({self.moves!r})\n"
            f"    size = dict(sites={game.sites}, items={game.items}{start})\n"
            f"    game = play({protocol}, moves, **size, seed={game.seed}, engine={game.engine!r})\n"
            "    assert game.ok, game\n"
        )

    def __repr__(self) -> str:
        return f"<{self.text}>".replace("\n", "; ")


def _sizes(game: Game) -> str:
    return f"{count(game.sites, 'site')}, {count(game.items, 'item')}"


def _size(game: Game) -> tuple[int, int]:
    return game.items, game.sites


def _last_output(game: Game) -> float:
    outputs = game.outputs
    return float(outputs["output"].iloc[-1]) if len(outputs) else float(game.start)


def shorten(game: Game, again: Again, *, fixed: bool = False, seconds: float = SECONDS) -> Shortest:
    """Return the shortest failing game of the same sides that could be found within some seconds.

    Parameters
    ----------
    game
        A failing game.
    again
        Plays the same sides.
    fixed
        Whether the moves become a fixed list, which is shortened too; otherwise the adversary plays. Where most seeds
        fail against the adversary, and not with a list, which does not react, the adversary plays all the same.
    seconds
        Processor time for the search, on the clock at most half as much again; a game once begun is played to its end.

    Raises
    ------
    ValueError
        The game did not fail.
    """
    if game.verdict != FAILED:
        raise ValueError(f"{ONLY_FAILED} {game.verdict}")
    faulty = bool(game.extra.get("lost") or game.extra.get("restarts") or game.delayed)
    again_for_most = game.coins and not faulty
    found = _shortest(_Search(game, again), fixed, faulty, seconds / (1 + again_for_most))
    if not again_for_most or not found.game.coins or 2 * found.failing > found.tried:
        return found
    for enough in ENOUGH:
        steady = _Search(game, again, enough=enough)
        steady.time = _Time(seconds / 2)
        if not steady.holds(game.sites, game.items, game.seed):
            break
        most = _shortest(steady, fixed, faulty, seconds / 2)
        if 2 * most.failing > most.tried:
            shorter = _size(found.game) < _size(most.game)
            return replace(most, within=steady.best.items, chance=found if shorter else None)
    return found


def _shortest(search: _Search, fixed: bool, faulty: bool, seconds: float) -> Shortest:
    """Return the shortest game that a search finds."""
    search.time = _Time(seconds * (0.5 if fixed or faulty else 1))
    search.sizes()
    best = search.recorded()
    runs = _runs(best)
    if (fixed and runs) or faulty:
        search.time = _Time(seconds / 2)
        search.list_faults(best)
        if fixed and runs:
            search.shorten_list(runs)
        search.shorten_faults()
        best = search.recorded()
        runs = _runs(best)
    failing, tried = search.others() if best.coins else (0, 0)
    return Shortest(best, search.before, written(runs) if runs else None, search.network, failing, tried,
                    unlisted=fixed and best.adversary != Moves.kind)  # fmt: skip


class _Search:
    """The shortest failing game so far, and attempts to find a shorter one.

    Parameters
    ----------
    enough
        Of `JURY` other seeds how many must fail. Games are then as long as most seeds need, and seeds stay; 0 for none.
    """

    def __init__(self, game: Game, again: Again, *, enough: int = 0) -> None:
        self._again, self._enough = again, enough
        self.before, self.time = game, _Time(0)
        self._fixed: Sequence[Run] = ()
        """The moves of the best game, if they are a fixed list."""
        self._network: dict[str, Any] | None = None
        self._faults: Sequence[ListedFault] = ()
        """The faults of the best game, if they are a list on this network."""
        cut = self._cut(game)
        self._longest = cut.items
        """Items of the game that was given, up to its first failing step; no game that is found has more."""
        self.best = game if enough else cut

    @property
    def network(self) -> dict[str, Any] | None:
        """The network with the faults of the best game; None if they are no list."""
        return None if self._network is None else {**self._network, "faults": listed.written(self._faults)}

    def recorded(self) -> Game:
        """Return the shortest game with its record, up to its first failing step."""
        best = self._cut(self.best)
        return self._play(best.sites, best.items, best.seed, self._fixed, record=True)

    def holds(self, sites: int, items: int, seed: int, runs: Sequence[Run] = ()) -> bool:
        """Return whether most seeds fail in a game, of which this one does."""
        failing, others = 0, range(seed + 1, seed + 1 + JURY)
        for place, other in enumerate(others):
            if self.time.over or failing + JURY - place < self._enough:
                return False
            failing += self._play(sites, items, other, runs).verdict == FAILED
            if failing == self._enough:
                return True
        return False

    def others(self) -> tuple[int, int]:
        """Return how many of the same games with other seeds fail, and how many were played."""
        best, limit, verdicts = self.best, _Time(LAST), []
        for seed in range(best.seed + 1, best.seed + 1 + OTHERS):
            if not limit.over:
                verdicts.append(self._play(best.sites, best.items, seed, self._fixed).verdict)
        return verdicts.count(FAILED), len(verdicts)

    def _play(self, sites: int, items: int, seed: int, runs: Sequence[Run], **more: object) -> Game:
        if runs:
            more["moves"] = Moves(written(runs))
        if self._network is not None:
            more["network"] = self.network
        return self._again(sites=sites, items=items, seed=seed, **more)

    def attempt(
        self, sites: int, items: int, seed: int, runs: Sequence[Run] = (), faults: Sequence[ListedFault] | None = None
    ) -> bool:
        """Play a candidate, with other faults if they are given; keep it and return True if it fails."""
        if items < 1 or sites < 1 or self.time.over:
            return False
        before = self._faults, self._fixed
        self._faults = listed.within(self._faults if faults is None else faults, sites)
        game = self._play(sites, items, seed, runs)
        if game.verdict == FAILED and not (self._enough and game.coins and not self.holds(sites, items, seed, runs)):
            self._fixed = runs
            cut = self._cut(game)
            if cut.items <= self._longest:
                self.best = game if self._enough else cut
                self._fixed = _cut_runs(runs, self.best.steps)
                return True
        self._faults, self._fixed = before
        return False

    def _cut(self, game: Game) -> Game:
        """Return a failing game that ends with its first failing step, if an adversary that knows the end agrees."""
        items = (game.first_failure or 0) - game.start
        if not 0 < items < game.items + game.unsent:
            return game
        cut = self._play(game.sites, items, game.seed, self._fixed)
        return cut if cut.verdict == FAILED else game

    def sizes(self) -> None:
        """Try all numbers of sites with few items, then twice as many, until one fails; then near sizes and seeds.

        So no game is played that is much longer than the shortest.
        """
        items = FEWEST
        while items < self.best.items and not self.time.over:
            for sites in _grid(self.best.sites):
                self.attempt(sites, min(items, self.best.items - (sites >= self.best.sites)), self.best.seed)
            items *= 2
        _lowered(self.best.sites, lambda sites: self._attempt_size(sites, self.best.seed))
        if self._enough:
            _lowered(self.best.items, lambda items: self.attempt(self.best.sites, items, self.best.seed))
        self._fresh_seeds(lambda seed, turn: self._attempt_size(_near(self.best.sites, turn), seed))

    def _attempt_size(self, sites: int, seed: int) -> bool:
        best = self.best
        return self.attempt(sites, best.items - (sites >= best.sites), seed)

    def _fresh_seeds(self, attempt: Callable[[int, int], bool]) -> None:
        """Attempt fresh seeds until too many in a row gain nothing."""
        fruitless, seed = 0, self.best.seed
        while self.best.coins and not self._enough and fruitless < FRUITLESS and not self.time.over:
            seed += 1
            fruitless = 0 if attempt(seed, fruitless) else fruitless + 1

    def shorten_list(self, runs: list[Run]) -> None:
        """Shorten a fixed list of moves: fewer runs, shorter runs, fewer sites; then other seeds, and again."""
        first = self.best.seed
        if not any(self._try(runs, self.best.sites, first + more) for more in range(SEEDS if self.best.coins else 1)):
            return  # it is of an earlier version, by an engine whose coins fell otherwise
        before: Any = None
        while before != (before := (self.best.items, self.best.sites, self._fixed)):
            _fewer(lambda: self._fixed, lambda runs: self._try(runs, self.best.sites))
            self._shorter_runs()
            self._fewer_sites()
            self._fresh_seeds(lambda seed, _: self._try(_without_last(self._fixed), self.best.sites, seed))

    def _try(self, runs: Sequence[Run], sites: int, seed: int | None = None) -> bool:
        """Attempt a list of moves."""
        items = sum(length for site, length in runs if site != SKIP)
        return self.attempt(sites, items, self.best.seed if seed is None else seed, runs)

    def list_faults(self, best: Game) -> None:
        """Take the faults of the best game as a list, if it was played on a network."""
        self._network = best.listed_network
        if self._network is not None:
            self._faults = listed.read(self._network["faults"])
            if not self._try_faults(self._faults):  # its adversary rehearses with faults of its own
                self._network, self._faults = None, ()

    def shorten_faults(self) -> None:
        """Shorten the list of faults: fewer, then shorter ones."""
        _fewer(lambda: self._faults, self._try_faults)
        for place in range(len(self._faults)):
            _lowered(listed.length(self._faults[place]), partial(self._try_fault, place))

    def _try_faults(self, faults: Sequence[ListedFault]) -> bool:
        best = self.best
        return self.attempt(best.sites, best.items, best.seed, self._fixed, faults)

    def _try_fault(self, place: int, length: int) -> bool:
        faults = self._faults
        return self._try_faults([*faults[:place], listed.of_length(faults[place], length), *faults[place + 1 :]])

    def _shorter_runs(self) -> None:
        place = 0
        while place < len(self._fixed):
            _lowered(self._fixed[place][1], partial(self._try_length, place))
            place += 1

    def _try_length(self, place: int, length: int) -> bool:
        runs = self._fixed
        if place >= len(runs):
            return False
        return self._try([*runs[:place], (runs[place][0], length), *runs[place + 1 :]], self.best.sites)

    def _fewer_sites(self) -> None:
        """Leave out sites that get nothing, and let others share one."""
        names = sorted({site for site, _ in self._fixed} - {SKIP})
        new = {SKIP: SKIP, **{site: place for place, site in enumerate(names)}}
        self._try([(new[site], length) for site, length in self._fixed], len(names))
        fed = max(site for site, _ in self._fixed) + 1
        _lowered(self.best.sites, lambda sites: sites >= fed and self._try(self._fixed, sites))
        for one in names[:0:-1]:
            if any(site == one for site, _ in self._fixed):
                for other in [name for name in names if name < one][:2]:
                    shared = [(other if site == one else site, length) for site, length in self._fixed]
                    self._try(shared, self.best.sites)


def _fewer(parts: Callable[[], Sequence[Any]], attempt: Callable[[Sequence[Any]], bool]) -> None:
    """Remove chunks of a list, half of it at first, single parts at last (ddmin)."""
    size = max(1, len(parts()) // 2)
    while True:
        place = 0
        while place < len(parts()):
            now = parts()
            if not attempt([*now[:place], *now[place + size :]]):
                place += size
        if size == 1:
            return
        size //= 2


def _grid(sites: int) -> Iterator[int]:
    """Yield numbers of sites up to this one, growing by about a third."""
    one = 1
    while one < sites:
        yield one
        one += max(1, one // 3)
    yield sites


def _near(sites: int, turn: int) -> int:
    """Return in turn the same number of sites, a quarter fewer, the same, a quarter more."""
    return sites + (0, -1, 0, 1)[turn % 4] * max(1, sites // 4)


def _lowered(value: int, attempt: Callable[[int], bool]) -> None:
    """Attempt lower values down to 1: the lowest at first, then steps that halve."""
    if value <= 1 or attempt(1):
        return
    step = value // 2
    while step:
        if value - step >= 1 and attempt(value - step):
            value -= step
        else:
            step //= 2


def _runs(game: Game) -> list[Run]:
    """Return the moves of a recorded game; empty if they are too many."""
    if game.steps > LONGEST:
        return []
    moves = taken(game.turns.itertuples(), game.steps)
    sites = (plan.at(step) for plan, steps in moves for step in range(1, steps + 1))
    return merged((SKIP if site is None else int(site), 1) for site in sites)


def _cut_runs(runs: Sequence[Run], steps: int) -> list[Run]:
    """Return the first steps of a list of runs, neighbours on the same site as one."""
    return merged(islice(((site, 1) for site, length in runs for _ in range(length)), steps))


def _without_last(runs: Sequence[Run]) -> list[Run]:
    return _cut_runs(runs, sum(length for _, length in runs) - 1)
