"""The search for the worst faults of a network within a budget: they are moves of the adversary, in place of draws.

The search is that for the worst policy (`policy_search`); its candidates are lists of faults (`game.network.listed`).
A list that is given, such as one that the deployed code does not survive, is played without a search.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import floor
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np
import yaml

from disttrack.attack.search.policy_search import Games, OnGame, Reals, SearchResult, scenario_text, searched
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.experiments.runs.jobs import game_seed
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.faults import ALL, Crash, Partition, Restart
from disttrack.simulator.game.network.listed import LATE, LetterFault, ListedFault, check, written
from disttrack.simulator.game.network.unmet import UNMET
from disttrack.simulator.game.tasks.tracking import Count, prepare
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import Point

MESSAGES: Final = ("lost", *LATE)
STATES: Final = {"down": "kept", "forgets": "lost", "server-down": "kept", "server-forgets": "lost"}
"""Stops, and what becomes of the state."""
KINDS: Final = (*MESSAGES, "cut", *STATES)
"""Faults that a budget may have."""
GAMES: Final = 20
"""Games that are played with a list, and trials of a scenario that is written."""
_PART: Final = re.compile(r"([\w-]+)=(\d+)(?:\*(\d+))?")

Wire = tuple[int, bool, int]
"""A site, whether to the server, and the number of a transmission."""


class Allowed(NamedTuple):
    """Faults of one kind that a budget has: their number, and the largest number of steps of each."""

    kind: str
    number: int
    steps: int

    @property
    def coordinates(self) -> int:
        """Numbers that determine one fault."""
        if self.kind in MESSAGES:
            return 1 + (self.kind != "lost")
        return 2 + (not self.kind.startswith("server"))


def budget_of(text: str) -> list[Allowed]:
    """Return the budget described by a text.

    Raises
    ------
    ValueError
        It has another form.

    Examples
    --------
    >>> budget_of("lost=2, late=5*20")
    [Allowed(kind='lost', number=2, steps=0), Allowed(kind='late', number=5, steps=20)]
    """
    parts = text.replace(",", " ").split()
    allowed = []
    for part in parts:
        match = _PART.fullmatch(part)
        if match is None or int(match[2]) < 1 or (match[3] is None) != (match[1] == "lost") or match[3] == "0":
            raise ValueError(f"a budget is faults with their number, and the most steps of each: lost=2 late=5*20 "
                             f"down=1*50 ({accepted(KINDS)}); got {part!r}")  # fmt: skip
        if match[1] not in KINDS:
            raise ValueError(f"unknown fault {match[1]!r}{nearest(match[1], KINDS)} ({accepted(KINDS)})")
        allowed.append(Allowed(match[1], int(match[2]), int(match[3] or 0)))
    if not allowed or len({one.kind for one in allowed}) < len(allowed):
        raise ValueError(f"a budget names each fault once, such as 'lost=2 late=5*20'; got {text!r}")
    return allowed


class FaultGames(Games[str]):
    """Games of a point on its network, each with a list of faults in place of the network's own.

    What the search drives up is the lag-aware error, or for another task than `count` its `beside`.

    Parameters
    ----------
    point
        The game: both sides, sizes and network.
    seed, on_game
        As for `Games`.

    Raises
    ------
    ScenarioError
        The game has no network.
    """

    def __init__(self, point: Point, seed: int, on_game: OnGame | None) -> None:
        super().__init__(seed, on_game)
        task = point.task.make()
        if not isinstance(task, Count):
            raise ScenarioError(f"--network: games of task {task.kind} have no network")
        self.point, self.task = point, task
        self.measure = task.beside or "max_lag_error"
        given = prepare(point)
        self.sites: int = given["sites"]
        self.network = (given["network"] or Network()).with_faults((), self.sites)

    def with_faults(self, faults: str) -> Point:
        """Return the point with a list of faults."""
        return replace(self.point, network={**self.network, "faults": faults})

    def row(self, candidate: str, seed: int) -> Mapping[str, Any]:
        """Play a game with a list of faults, and return its row."""
        game = self.task.play(self.with_faults(candidate), seed)
        if game.error:
            raise ScenarioError(game.cause)
        return game.row

    def play(self, candidate: str, seed: int) -> tuple[float, str]:
        row = self.row(candidate, seed)
        return float(row.get(self.measure) or 0.0), str(row["verdict"])

    def wires(self) -> tuple[list[Wire], int]:
        """Return the transmissions of a game without faults, and its steps."""
        game = self.task.game(self.with_faults(""), seed=0, record=True)
        numbers: dict[tuple[int, bool], int] = {}
        sent: list[Wire] = []
        for sender, receiver in zip(game.transcript["sender"], game.transcript["receiver"], strict=True):
            up = receiver == "server"
            for way in (up, not up) if "link" in self.network else (up,):  # an acknowledgement flies back
                wire = int(sender if up else receiver), way
                numbers[wire] = numbers.get(wire, 0) + 1
                sent.append((*wire, numbers[wire]))
        return sent or [(0, True, 1)], max(2, game.steps)


def attack_network(
    point: Point, faults: str, *, budget: int = 2000, seed: int = 0, on_game: OnGame | None = None
) -> SearchResult[str]:
    """Search for the faults that drive the error of a game highest; its `policy` is their list, as a text.

    Parameters
    ----------
    point
        The game: its adversary chooses the sites of the items; faults that its network draws are left out, and
        latencies are the shortest possible ones.
    faults
        The budget, as `budget_of` reads it.
    budget, seed, on_game
        As for `policy_search.attack`.

    Raises
    ------
    ValueError
        The budget has another form, or a stop needs a rule of return that the protocol does not have.
    ScenarioError
        The game has no network, or none with such faults.
    """
    allowed = budget_of(faults)
    games = FaultGames(point, seed, on_game)
    wires, steps = games.wires()
    places = sum(one.number * one.coordinates for one in allowed)

    def at(place: Reals) -> str:
        kept: list[ListedFault] = []
        for fault in _faults_at(map(float, place), allowed, wires, games.sites, steps):
            if _fits([*kept, fault], games.sites):
                kept.append(fault)
        return written(kept)

    games.task.check(games.with_faults(at(np.zeros(places))))  # a task may have no stops
    return searched(games, at, [(0.0, 1.0)] * places, budget, seed)


class Played(NamedTuple):
    """What became of games with a list of faults.

    Attributes
    ----------
    verdicts
        How many games had each verdict; `undecided` if nothing is promised on such a network, or nothing was judged.
    measure
        The name of what is measured: `max_lag_error`, or of another task its `beside`.
    mean, most
        Its mean over the games, and its largest value.
    promised
        What it is at most by the promise; None if nothing is promised.
    unmet
        Faults of the list that the first game never comes to, one per line.
    """

    verdicts: Counter[str]
    measure: str
    mean: float
    most: float
    promised: float | None
    unmet: str

    @property
    def promise(self) -> str:
        """Whether the promise is broken, in words."""
        games, failed, undecided = self.verdicts.total(), self.verdicts["failed"], self.verdicts["undecided"]
        if failed or undecided < games:
            of = f"of {count(games, 'game')}"
            return f"broken in {failed} {of}" if failed else f"kept in {games - undecided} {of}"
        reason = "no step is judged" if self.measure == "max_lag_error" else "nothing is promised on such a network"
        return f"undecided in {count(games, 'game')}: {reason}"

    @property
    def values(self) -> str:
        """The measured values, in words."""
        promised = "" if self.promised is None else f" (promised: {self.promised:g})"
        return f"{self.mean:.3g} on average, {self.most:.3g} at most{promised}"


def play_faults(point: Point, *, games: int = GAMES, seed: int = 0, on_game: OnGame | None = None) -> Played:
    """Play games of a point with the list of faults that its network has.

    Parameters
    ----------
    point
        As `fault_lists.with_faults` returns it.
    games
        Their number.
    seed, on_game
        As for `policy_search.attack`.

    Raises
    ------
    ScenarioError
        The game has no network.
    """
    arena = FaultGames(point, seed, on_game)
    rows = []
    for one in range(games):  # the first game is that of trial 0 of a scenario with this seed
        rows.append(arena.row(point.network["faults"] if point.network else "", game_seed(seed, one)))
        arena.count()
    values = [float(row.get(arena.measure) or 0.0) for row in rows]
    promised = rows[0].get(f"{arena.measure}_promised") if arena.task.beside else point.protocol.make().accuracy
    verdicts = Counter(str(row["verdict"]) for row in rows)
    return Played(verdicts, arena.measure, fmean(values), max(values), promised, str(rows[0].get(UNMET, "")))


def _faults_at(
    place: Iterator[float], allowed: list[Allowed], wires: list[Wire], sites: int, steps: int
) -> Iterator[ListedFault]:
    """Yield the faults at a place of the unit cube; steps are spread evenly in their logarithm."""
    for kind, number, longest in allowed:
        for _ in range(number):
            if kind in MESSAGES:
                wire = wires[min(floor(next(place) * len(wires)), len(wires) - 1)]
                yield LetterFault(*wire, kind, 0 if kind == "lost" else 1 + _floor(next(place), longest))
                continue
            who = ALL if kind.startswith("server") else str(_floor(next(place), sites + (kind == "cut")))
            begin = floor(steps ** next(place))
            length = 1 + _floor(next(place), longest)
            if kind == "cut":
                yield Partition(begin, begin + length - 1, ALL if who == str(sites) else who)
            elif kind.startswith("server"):
                yield Restart(length, begin, None, STATES[kind])  # type: ignore[arg-type]
            else:
                yield Crash(length, begin, None, STATES[kind], True, who)  # type: ignore[arg-type]


def _floor(share: float, number: int) -> int:
    """Return the whole number below `number` at a share of the way."""
    return min(floor(share * number), number - 1)


def _fits(faults: list[ListedFault], sites: int) -> bool:
    """Return whether the last of some faults does not contradict the others."""
    try:
        check(faults, sites)
    except ValueError:
        return False
    return True


def scenario_of(result: SearchResult[str], point: Point, seed: int) -> str:
    """Return a scenario that plays the faults that were found at a point, from the seed of the search."""
    games = FaultGames(point, seed, None)
    own = _entries(games.with_faults(result.policy), seed)
    protocol = own.pop("protocol")
    return scenario_text(result, "list of faults", protocol, own, {"measure": f"mean({games.measure})"})


def scenario_of_list(point: Point, seed: int) -> str:
    """Return a scenario that plays the faults of a point's list."""
    body = {"name": f"faults-of-{point.protocol.label}".lower(), **_entries(point, seed)}
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=110)


def _entries(point: Point, seed: int) -> dict[str, Any]:
    """Return the entries of a scenario with this point."""
    task = point.task.make()
    protocol, adversary = ({"kind": part.kind, **part.arguments} for part in (point.protocol, point.adversary))
    sizes = {size.key: getattr(point, size.column) for size in task.sizes}
    own = {"task": task.kind, "seed": seed, "trials": GAMES, **sizes, "adversary": adversary}
    return {**own, "network": point.network, "protocol": protocol}
