"""The search for the worst faults of a network within a budget: they are moves of the adversary, in place of draws.

The search is that for the worst policy (`policy_search`); its candidates are lists of faults (`game.network.listed`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import floor
from typing import Any, Final, NamedTuple

from disttrack.adversaries.base import Adversary
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import accepted, nearest
from disttrack.simulator.game.network import Network, network_of
from disttrack.simulator.game.network.faults import ALL, Crash, Partition, Restart
from disttrack.simulator.game.network.listed import LATE, LetterFault, ListedFault, check, read, written
from disttrack.simulator.game.play import play
from disttrack.simulator.search.policy_search import Games, Reals, SearchResult, searched

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


class FaultGames(Games):
    """Plays games on a network, each with a list of faults.

    Parameters
    ----------
    protocol, game, seed, on_game
        As for `Games`.
    adversary
        Feeds the sites.
    network
        The network; its own faults are left out.
    """

    def __init__(self, protocol: Protocol, adversary: Adversary, network: Network, *game: Any) -> None:
        super().__init__(protocol, *game)
        self.adversary = adversary
        self.network = network.with_faults((), self.game["sites"])

    def play(self, candidate: Any, seed: int, **more: Any) -> Any:
        network = {**self.network, "faults": candidate}
        return play(self.protocol, self.adversary, network=network, seed=seed, **self.game, **more)

    def wires(self) -> tuple[list[Wire], int]:
        """Return the transmissions of a game without faults, and its steps."""
        game = self.play("", 0, record=True)
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
    protocol: Protocol,
    adversary: Adversary,
    faults: str,
    network: Mapping[str, Any] | Network | None = None,
    *,
    sites: int,
    items: int,
    start: int = 0,
    budget: int = 2000,
    seed: int = 0,
    on_game: Callable[[int], None] | None = None,
    games: type[FaultGames] = FaultGames,
) -> SearchResult:
    """Search for the faults that drive the lag-aware error highest; its `policy` is their list, as a text.

    Parameters
    ----------
    protocol, adversary
        The two sides; the adversary chooses the sites of the items.
    faults
        The budget, as `budget_of` reads it.
    network
        Latencies and links; faults that it draws are left out, and latencies are the shortest possible ones.
    sites, items, start, budget, seed, on_game
        As for `policy_search.attack`.
    games
        Plays them, and says by `error` what is driven up.

    Raises
    ------
    ValueError
        The budget has another form, or a stop needs a rule of return that the protocol does not have.
    """
    allowed = budget_of(faults)
    size = {"sites": sites, "items": items, "start": start, "sees": adversary.sees}
    arena = games(protocol, adversary, network_of(network) or Network(), size, seed, on_game)
    wires, steps = arena.wires()
    places = sum(one.number * one.coordinates for one in allowed)

    def at(place: Reals) -> str:
        kept: list[ListedFault] = []
        for fault in _faults_at(map(float, place), allowed, wires, sites, steps):
            if _fits([*kept, fault], sites):
                kept.append(fault)
        return written(kept)

    return searched(arena, at, [(0.0, 1.0)] * places, budget, seed)


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


def scenario_of(
    result: SearchResult,
    network: Mapping[str, Any] | Network | None,
    protocol: dict[str, Any],
    adversary: dict[str, Any],
    **sizes: Any,
) -> str:
    """Return a scenario that plays the faults that were found.

    Parameters
    ----------
    network
        As for `attack_network`.
    protocol, adversary
        The entries of the two sides: kind and parameters.
    sizes
        seed, sites, items and start.
    """
    import yaml

    kind = str(protocol["kind"]).rpartition(":")[2]
    body = {
        "name": f"faults-against-{kind}".lower(),
        "question": f"How strong are the worst faults of {result.games:,} games against {kind}?",
        "trials": 20,
        **{name: value for name, value in sizes.items() if value or name != "start"},
        "protocol": protocol,
        "adversary": adversary,
        "network": (network_of(network) or Network()).with_faults(read(result.policy), sizes["sites"]),
        "claims": [
            {
                "name": "the faults are as strong as in the search",
                "measure": "mean(max_lag_error)",
                "at_least": float(f"{0.9 * result.strength:.3g}"),
            }
        ],
    }
    text = yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=110)
    return (
        f"# From a search of {result.games:,} games: largest lag-aware error {result.strength:.3g} on average over\n"
        f"# {result.last} games that had no part in the choice; {kind} failed in {100 * result.broken:.0f} % of them.\n"
        f"{text}"
    )
