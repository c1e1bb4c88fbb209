"""The search for the worst faults of a network within a budget: they are moves of the adversary, in place of draws.

The search is that for the worst policy (`policy_search`); its candidates are lists of faults (`game.network.listed`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import floor
from typing import Final, NamedTuple

import numpy as np

from disttrack.attack.search.policy_search import Games, OnGame, Reals, SearchResult, scenario_text, searched
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.faults import ALL, Crash, Partition, Restart
from disttrack.simulator.game.network.listed import LATE, LetterFault, ListedFault, check, written
from disttrack.simulator.game.tasks.tracking import Count, prepare
from disttrack.simulator.kinds.point import Point

MESSAGES: Final = ("lost", *LATE)
STATES: Final = {"down": "kept", "forgets": "lost", "server-down": "kept", "server-forgets": "lost"}
"""Stops, and what becomes of the state."""
KINDS: Final = (*MESSAGES, "cut", *STATES)
"""Faults that a budget may have."""
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

    def play(self, candidate: str, seed: int) -> tuple[float, bool]:
        game = self.task.play(self.with_faults(candidate), seed)
        if game.error:
            raise ScenarioError(game.cause)
        return float(game.row.get(self.measure) or 0.0), game.row["ok"]

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
    protocol, adversary = ({"kind": part.kind, **part.arguments} for part in (point.protocol, point.adversary))
    sizes = {size.key: getattr(point, size.column) for size in games.task.sizes}
    own = {"task": games.task.kind, "seed": seed, "trials": 20, **sizes, "adversary": adversary}
    own["network"] = games.with_faults(result.policy).network
    return scenario_text(result, "list of faults", protocol, own, {"measure": f"mean({games.measure})"})
