"""The search for the worst policy, or the worst machine with few bits of memory, without any use of the rules.

The optimiser moves the numbers of `adversaries.adaptive.Policy`, or the faults of a network (`fault_search`), and sees
one thing only: how large the relative error became in a game. In tiny games a table of moves is learned instead
(`table_search`). The result is saved as a scenario.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, log2, sqrt
from statistics import fmean, stdev
from typing import Final, Generic, TypedDict, TypeVar, cast

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.adaptive import BoundedMemory, Policy, named, rows_of, text_of, told_apart
from disttrack.adversaries.base import ALPHA, Adversary, early_of
from disttrack.attack.search import table_search
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.engine_choice import rules_of
from disttrack.simulator.game.play import play

TINY: Final = 64
"""Sites times items up to which a table is learned in place of the numbers of `Policy`, which say too little there."""
POPULATION: Final = 40
"""Policies that the optimiser keeps at a time."""
FINALISTS: Final = 12
"""Policies that are played again, since the best of many single games is partly luck."""
FINAL: Final = 0.25
"""Share of the budget that goes to the finalists."""
MOST_FRESH: Final = 2000
"""Most games in which a table is measured."""

DOUBT: Final = 5.0
"""Standard deviations by which a claim is below what the search measured: it is not to fail by chance."""

Reals = npt.NDArray[np.float64]
OnGame = Callable[[int], None]
"""Called after each game with the number of games so far."""
Found = TypeVar("Found")
"""What is searched for: an adversary, or the faults of a network as a text."""


class Size(TypedDict):
    """A game's size."""

    sites: int
    items: int
    start: int


@dataclass(frozen=True)
class SearchResult(Generic[Found]):
    """The result of a search.

    Attributes
    ----------
    policy
        The worst policy, table, fixed sequence or machine; or the worst faults.
    strength
        Mean over its last games of the largest relative error.
    broken, undecided
        Shares of these games in which the protocol failed, and in which nothing was promised or judged.
    games
        Games played in all.
    last
        Games that `strength` is the mean of. None of them had a part in choosing the policy.
    spread
        The standard deviation of their errors.
    """

    policy: Found
    strength: float
    broken: float
    games: int
    last: int
    spread: float = 0.0
    undecided: float = 0.0


def bounds_of(protocol: Protocol, sites: int, total: int) -> list[tuple[float, float]]:
    """Return the ranges of the numbers that `policy_at` takes; those over powers of ten are logarithms."""
    early = early_of({**protocol.as_mapping(), "alpha": protocol.accuracy}, sites)
    latest = max(1.0, log2(max(2.0, total / early)))
    # from half of alpha n / k items, what a site of a tracker without coins gets between two reports
    shortest = min(-3.0, log2(early * (protocol.accuracy or ALPHA) / sites) - 1)
    return [(0, 2), (shortest, 5), (0.25, 1), (-0.5, 4), (-1, latest)]


def policy_at(place: Reals) -> Policy:
    """Return the policy at a place within the bounds, its numbers rounded to three digits."""
    stay, patience, reach, growth, begin = (float(number) for number in place)
    # at the low ends of their ranges a policy never stays, never waits, and begins at once
    return Policy(
        stay=rounded(max(0.0, stay - 0.5)),
        patience=rounded(2**patience),
        reach=rounded(reach),
        growth=rounded(2 ** max(0.0, growth)),
        begin=rounded(2**begin) if begin > -0.5 else 0.0,
    )


def attack(
    protocol: Protocol,
    *,
    sites: int,
    items: int,
    start: int = 0,
    budget: int = 2000,
    seed: int = 0,
    oblivious: bool = False,
    on_game: OnGame | None = None,
) -> SearchResult[Adversary]:
    """Search for the policy that drives the relative error highest; play at most `budget` games.

    Differential evolution with one game per policy, each with a seed of its own, so that no policy fits itself to one
    game's luck. The best are played again, the weaker half dropped each time; the winner's strength is measured in
    games that were not used to choose it. Where sites times items are at most `TINY`, a table is learned in place of
    that, which makes most games fail.

    Parameters
    ----------
    protocol
        The protocol to break.
    sites, items, start
        The game's size.
    budget
        Games to play, at least 100: of fewer there is nothing to choose from.
    seed
        Root of the search and of all its games.
    oblivious
        Search for a fixed sequence of sites in place of a table.
    on_game
        Called after each game with the number of games so far.

    Raises
    ------
    ScenarioError
        The protocol plays another game than tracking a count, in which policies have no errors to drive up; or a fixed
        sequence is searched in a game that is not tiny, or against a tracker without an accuracy.

    Source
    ------
    Storn, Price 1997, as scipy has it; successive halving of Jamieson, Talwalkar 2016.
    """
    if (task := rules_of(protocol)[0]) != "count":
        name = protocol.kind or type(protocol).__name__
        raise ScenarioError(f"protocol: a policy is searched against trackers of a count; {name} plays {task}")
    size: Size = {"sites": sites, "items": items, "start": start}
    arena = PolicyGames(protocol, size, seed, on_game)
    tiny = bool(sites * items <= TINY and protocol.accuracy)
    if oblivious and not tiny:
        raise ScenarioError(f"oblivious: takes a tracker with an accuracy, and sites times items of at most {TINY}")
    if tiny:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
        games = int(budget * (1 - FINAL))
        learned = table_search.learn(protocol, **size, budget=games, rng=rng, on_games=arena.count, oblivious=oblivious)
        return measured(learned, arena, budget)
    return searched(arena, policy_at, bounds_of(protocol, sites, start + items), budget, seed)


def searched(
    arena: Games[Found],
    candidate_at: Callable[[Reals], Found],
    bounds: Sequence[tuple[float, float]],
    budget: int,
    seed: int,
) -> SearchResult[Found]:
    """Return the strongest candidate at a place within the bounds: differential evolution, then the best ones again."""
    from scipy.optimize import Bounds, differential_evolution

    tried: list[tuple[float, Found]] = []

    def harmlessness(place: Reals) -> float:
        candidate = candidate_at(place)
        error = arena.error(candidate)
        tried.append((error, candidate))
        return -error

    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    population = min(POPULATION, int(budget * (1 - FINAL)) // 2)
    generations = int(budget * (1 - FINAL)) // population - 1
    low, high = np.array(bounds).T
    first = low + (high - low) * _spread(population, len(low), rng)
    box = Bounds(low, high)
    differential_evolution(harmlessness, box, maxiter=generations, init=first, tol=0, polish=False, seed=rng)
    return final(tried, arena, budget)


class Games(ABC, Generic[Found]):
    """Plays the games, each with the next seed.

    Parameters
    ----------
    seed, on_game
        As for `attack`.
    """

    def __init__(self, seed: int, on_game: OnGame | None) -> None:
        self.on_game = on_game
        self._seeds = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
        self.games = 0
        self.verdicts: Counter[str] = Counter()

    def count(self, games: int = 1) -> None:
        """Count games that have been played."""
        self.games += games
        if self.on_game is not None:
            self.on_game(self.games)

    def error(self, candidate: Found) -> float:
        """Return the error of one game against a candidate."""
        error, verdict = self.play(candidate, int(self._seeds.integers(2**53)))
        self.verdicts[verdict] += 1
        self.count()
        return error

    @abstractmethod
    def play(self, candidate: Found, seed: int) -> tuple[float, str]:
        """Play a game against a candidate; return what the search drives up, and the verdict."""


class PolicyGames(Games[Adversary]):
    """Games whose candidates are adversaries, and their largest relative errors."""

    def __init__(self, protocol: Protocol, size: Size, seed: int, on_game: OnGame | None = None) -> None:
        super().__init__(seed, on_game)
        self.protocol, self.size = protocol, size

    def play(self, candidate: Adversary, seed: int) -> tuple[float, str]:
        game = play(self.protocol, candidate, seed=seed, **self.size)
        return float(game.max_rel_error or 0.0), game.verdict


def final(tried: Iterable[tuple[float, Found]], arena: Games[Found], budget: int) -> SearchResult[Found]:
    """Play the best ones again, drop half of them each time, and measure the winner in fresh games."""
    left = budget - arena.games
    policies = {repr(policy): policy for _, policy in sorted(tried, key=lambda one: -one[0])}
    finalists = list(policies)[: min(FINALISTS, left // 4)]
    last = max(4, left // 3)
    errors: dict[str, list[float]] = {name: [] for name in finalists}
    rounds = max(1, (len(finalists) - 1).bit_length())
    each = (left - last) // rounds
    while len(finalists) > 1:
        for name in finalists:
            errors[name] += [arena.error(policies[name]) for _ in range(max(1, each // len(finalists)))]
        finalists.sort(key=lambda name: -fmean(errors[name]))
        finalists = finalists[: (len(finalists) + 1) // 2]
    return measured(policies[finalists[0]], arena, budget, last)


def measured(winner: Found, arena: Games[Found], budget: int, most: int = MOST_FRESH) -> SearchResult[Found]:
    """Return the result of a search whose winner is measured in fresh games: those left of the budget, up to `most`."""
    arena.verdicts.clear()
    last = max(4, min(most, budget - arena.games))
    errors = [arena.error(winner) for _ in range(last)]
    failed, undecided = (arena.verdicts[one] / last for one in ("failed", "undecided"))
    return SearchResult(winner, fmean(errors), failed, arena.games, last, stdev(errors), undecided)


def _spread(size: int, dimensions: int, rng: np.random.Generator) -> Reals:
    """Return points of the unit cube of which each coordinate is evenly spread (a Latin hypercube)."""
    places = np.stack([rng.permutation(size) for _ in range(dimensions)], axis=1)
    spread: Reals = (places + rng.random((size, dimensions))) / size
    return spread


def rounded(value: float) -> float:
    """Return a number with three digits."""
    return float(f"{value:.3g}")


def scenario_of(
    result: SearchResult[Adversary], protocol: Mapping[str, object], *, seed: int, size: Size, file: str = ""
) -> str:
    """Return a scenario that plays the policy beside `freeze` and a stream that does not react.

    Parameters
    ----------
    protocol
        The protocol's entry: kind and parameters.
    seed, size
        Those of the search.
    file
        The file of the table, if the policy is one.
    """
    kind = result.policy.kind
    given = {name: value for name, value in result.policy.as_mapping().items() if value is not None}
    adversary = {"kind": kind, **({"file": file} if file else given)}
    own = {
        "trials": 1000 if size["sites"] * size["items"] <= TINY else 20,  # a tiny game is mostly chance
        "adversary": [adversary, {"kind": "freeze"}, {"kind": "uniform"}],
        "plots": [{"kind": "matrix"}],
    }
    claim = {"where": f"adversary == '{kind}'", "measure": "mean(max_rel_error)"}
    return scenario_text(result, kind, protocol, {"seed": seed, **size, **own}, claim)


def scenario_text(
    result: SearchResult[Found],
    what: str,
    protocol: Mapping[str, object],
    own: Mapping[str, object],
    claim: Mapping[str, object],
) -> str:
    """Return the scenario that claims what a search found.

    Parameters
    ----------
    what
        A word for what was searched.
    protocol
        The protocol's entry: kind and parameters.
    own
        All other entries of the scenario, and the claim's.
    claim
        Which games it is about, and by which measure.
    """
    import yaml

    kind = str(protocol["kind"]).rpartition(":")[2]
    name = f"{what}: as strong as in the search"
    doubt = DOUBT * result.spread * sqrt(1 / result.last + 1 / cast(int, own["trials"]))
    least = rounded(0.995 * max(0.0, result.strength - doubt))  # three digits are not above the value
    body = {
        "name": f"attack-on-{kind}".lower(),
        "question": f"How strong is the worst {what} of {result.games:,} games against {kind}?",
        **{key: value for key, value in own.items() if key != "start" or value},
        "protocol": protocol,
        "claims": [{"name": name, **claim, "at_least": least}],
    }
    text = yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=110)
    return (
        f"# From a search of {result.games:,} games: {claim['measure']} {result.strength:.3g} over\n"
        f"# {result.last} games that had no part in the choice; {kind} failed in {100 * result.broken:.0f} % of them"
        f"{f', undecided in {100 * result.undecided:.0f} %' if result.undecided else ''}.\n"
        f"{text}"
    )


LISTED: Final = 2
"""Bits up to which all tables are tried: 1, 13 and 5,477."""
PARENTS: Final = 10
"""Machines drawn from those that were tried; the strongest of them is changed."""


def tables(states: int) -> Iterator[str]:
    """Yield each table with this number of states that the first one leads to, once.

    States are numbered in the order in which they are first named, so that no two tables differ in names only.

    Examples
    --------
    >>> [len(list(tables(states))) for states in (1, 2, 3)]
    [1, 12, 216]
    """
    for targets in product(range(states), repeat=2 * states):
        known = 1
        for place, target in enumerate(targets):
            if target > known or place // 2 >= known:
                break
            known = max(known, target + 1)
        else:
            if known == states:
                yield text_of([*zip(targets[::2], targets[1::2], strict=True)])


def attack_with_memory(
    protocol: Protocol,
    *,
    memory: int,
    sites: int,
    items: int,
    start: int = 0,
    budget: int = 2000,
    seed: int = 0,
    on_game: OnGame | None = None,
) -> SearchResult[Adversary]:
    """Search for the machine with `memory` bits that drives the relative error highest; play at most `budget` games.

    Up to 2 bits every table is played once, in random order and with a random patience, if the budget allows:
    5,477 games, which are three quarters of 7,303. What is left goes to machines that differ a little from good ones.
    The best, with ``freeze`` and ``drain``, are played again as in `policy_search.attack`, and the winner's strength is
    measured in games that were not used to choose it.

    Parameters
    ----------
    protocol, sites, items, start, budget, seed, on_game
        As for `policy_search.attack`.
    memory
        Bits of memory.
    """
    games = PolicyGames(protocol, {"sites": sites, "items": items, "start": start}, seed, on_game)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    states = told_apart(memory, sites)
    known = [text_of(named(table, states)) for table in ("freeze", "drain")]
    fresh = [table for fewer in range(1, states + 1) for table in tables(fewer)] if memory <= LISTED else [*known]
    rng.shuffle(fresh)
    tried: list[tuple[float, BoundedMemory]] = []
    while games.games < budget * (1 - FINAL):
        if fresh:
            machine = BoundedMemory(memory, fresh.pop(), rounded(2 ** rng.uniform(-3, 3)))
        else:
            drawn = [tried[place] for place in rng.integers(len(tried), size=PARENTS)]
            machine = _changed(max(drawn, key=lambda one: one[0])[1], rng)
        tried.append((games.error(machine), machine))
    return final([*((inf, BoundedMemory(memory, table)) for table in known), *tried], games, budget)


def _changed(machine: BoundedMemory, rng: np.random.Generator) -> BoundedMemory:
    """Return a machine with another patience, and in one of two cases with another entry of the table."""
    rows = [list(row) for row in rows_of(machine.table)]
    if rng.random() < 0.5:
        rows[rng.integers(len(rows))][rng.integers(2)] = int(rng.integers(len(rows)))
    table = text_of([(after_change, after_wait) for after_change, after_wait in rows])
    return BoundedMemory(machine.memory, table, rounded(machine.patience * 2 ** rng.normal()))
