"""Games that the tests of replays share, and what they are held against: each step looked at by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.adversaries import Adversary, Burst, Labels, Rest, Rotation, Runs, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Protocol
from disttrack.simulator import play
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.shown.replay.record import SERVER, GameRecord, record_of


class Motley(Adversary):
    """Uses every form of plan in turn, changes its mind, goes on, and begins the same plan anew."""

    def __init__(self) -> None:
        self._asked = 0
        self._same = Rotation(3, 2)

    def __repr__(self) -> str:
        return "Motley()"  # without an address: the same name in every process

    def plan(self, view: View) -> Schedule | None:
        self._asked += 1
        rng = view.rng
        match self._asked % 7:
            case 0:
                return Burst(int(rng.integers(view.sites)))
            case 1:
                return Labels(rng.integers(view.sites, size=9))
            case 2:
                return Rest(2)
            case 3:
                return Runs([1, -1, 0], [2, 3, 1])
            case 4:
                return self._same
            case 5:
                return self._same  # still in force: it goes on, and does not begin anew
            case _:
                return Burst(1, 4)


class Sleeper(Adversary):
    """Skips a while before the first item and between any two."""

    oblivious = True

    def __repr__(self) -> str:
        return "Sleeper()"

    def plan(self, view: View) -> Schedule | None:
        return Rest(3) if view.steps % 4 == 0 else Burst(view.steps % view.sites, 1)


def recorded(protocol: Protocol, adversary: Any, **sizes: Any) -> tuple[Game, GameRecord]:
    """Return a game and its record."""
    game = play(protocol, adversary, record=True, **sizes)
    return game, record_of(game)


def sites_by_step(record: GameRecord, stream: Any) -> list[int]:
    """Return the site of each step, -1 for none, asked for one by one."""
    return [int(stream.step_sites(np.array([step]))[0]) for step in range(1, record.about.steps + 1)]


def unreported(record: GameRecord, fed: list[int], step: int) -> list[int]:
    """Return what each site has received since its last message, counted item by item."""
    held = [0] * record.about.sites
    messages = list(record.messages)
    for now in range(1, step + 1):
        if fed[now - 1] >= 0:
            held[fed[now - 1]] += 1
        for message in messages:
            if message.step == now and message.receiver == SERVER:
                held[message.sender] = 0
    return held
