"""How often a user's adversary is asked because its plan has run out: short plans cost more time than messages do."""

from __future__ import annotations

from contextlib import redirect_stdout
from typing import Final

from disttrack.adversaries.schedules import Burst, Rest
from disttrack.simulator.points.point import Point
from disttrack.simulator.points.source import Dropped, TooLong, limited
from disttrack.simulator.tasks.adversary import adversary_of

FIRST: Final = 1000
"""Items of the game in which it is counted, in the second half: at first the output changes with most items."""
SECONDS: Final = {True: 1.3e-5, False: 8e-5}
"""Seconds in which a plan is made and put in force, by whether it is of one site: others have arrays."""
PATIENCE: Final = 2.0
"""Seconds for that game."""


def seconds_asked(point: Point, sites: int, items: int) -> float:
    """Return the seconds in which a user's adversary makes the plans that follow plans that have run out."""
    if not point.adversary.own or not items:
        return 0.0
    key = point.adversary.maker(), repr(point.adversary.arguments)
    if key not in _known:  # of the first point with it: other protocols and sizes change little
        _known[key] = _per_item(point, sites)
    return items * _known[key]


_known: dict[tuple[object, str], float] = {}


def _per_item(point: Point, sites: int) -> float:
    """Return the seconds per item of plans that follow plans that have run out; 0 if no game can be played."""
    from disttrack.simulator.game.play import play

    try:
        adversary = adversary_of(point)
        with redirect_stdout(Dropped()), limited("to play a short game", PATIENCE):
            game = play(point.protocol.make(), adversary, sites=sites, items=FIRST, sees=adversary.sees, record=True)
    except (Exception, TooLong, SystemExit, GeneratorExit):
        return 0.0  # the game that is asked for says so itself
    turns = game.turns
    later = turns[(turns["sent"] >= game.items / 2) & (turns["changes"].diff() == 0)]
    return sum(SECONDS[isinstance(plan, Burst | Rest)] for plan in later["plan"]) / max(1.0, game.items / 2)
