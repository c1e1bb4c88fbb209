"""Adversaries with one fault each. The conformance suite must find every one of them."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries import Adversary, Burst, Freeze, Rest, View
from disttrack.adversaries.schedules import Schedule
from disttrack.mechanisms.compiler import available


class Base(Adversary):
    """A right adversary: round-robin in bursts of three."""

    kind: ClassVar[str] = "mutant"
    source: ClassVar[str] = "made for this test"

    def plan(self, view: View) -> Schedule | None:
        return Burst(view.sent // 3 % view.sites, 3)


class NoItem(Base):
    """Ends the game before it begins."""

    def plan(self, view: View) -> Schedule | None:
        return None


class Raises(Base):
    """Gives up."""

    def plan(self, view: View) -> Schedule | None:
        raise KeyError("nothing comes to mind")


class Global(Base):
    """Draws from the random module."""

    def plan(self, view: View) -> Schedule | None:
        return Burst(random.randrange(view.sites), 3)


class Unseeded(Base):
    """Draws from a generator of its own."""

    def plan(self, view: View) -> Schedule | None:
        return Burst(int(np.random.default_rng().integers(view.sites)), 3)


class NoCopyButReset(Base):
    """Won't be copied, though its moves come out alike: only the traces left behind tell."""

    def __init__(self) -> None:
        self.turn = 0

    def __deepcopy__(self, memo: object) -> NoCopyButReset:
        return self

    def plan(self, view: View) -> Schedule | None:
        self.turn += 1
        return Burst(view.sent % view.sites, 2)


class Holds(Base):
    """Holds a function, which can't go to a worker."""

    def __init__(self) -> None:
        self.rule = lambda count: count


class FollowsOrder(Base):
    """Says oblivious, feeds all sites alike, but in an order that goes by the outputs."""

    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule | None:
        return Burst((view.sent // 5 + (1 if view.changes > 50 else 0)) % view.sites, 5)


_numbers: dict[float, int] = {}


class Caches(Base):
    """Numbers the outputs in the order in which all games of the process have shown them."""

    def plan(self, view: View) -> Schedule | None:
        return Burst(_numbers.setdefault(view.output, len(_numbers)) % view.sites, 3)


class OtherMachine(Freeze):
    """Stays where it is, and has the compiled form of another one."""

    kind: ClassVar[str] = "mutant"
    source: ClassVar[str] = "made for this test"

    def plan(self, view: View) -> Schedule | None:
        return Burst(0)

    machine = Freeze.machine


class SameMachine(OtherMachine):
    """Has the compiled form that it says."""

    def plan(self, view: View) -> Schedule | None:
        return Burst(view.changes % view.sites)

    machine = Freeze.machine


class LateMachine(SameMachine):
    """Goes to another site than its compiled form from item 2^16 on."""

    def plan(self, view: View) -> Schedule | None:
        return Burst((view.changes + (view.sent >= 1 << 16)) % view.sites)

    machine = Freeze.machine


class CrowdedMachine(SameMachine):
    """Goes to another site than its compiled form if there are more than 16."""

    def plan(self, view: View) -> Schedule | None:
        return Burst((view.changes * (1 + (view.sites > 16))) % view.sites)

    machine = Freeze.machine


class Turns(Schedule):
    """The sites in turn; it says the wrong step of a site's item from the 20,000th on."""

    def __init__(self, sites: int) -> None:
        self.sites = sites

    def at(self, step: Any) -> Any:
        return (step - 1) % self.sites

    def count(self, site: Any, step: Any) -> Any:
        return (step - 1 - site) // self.sites + 1

    def nth(self, site: Any, n: Any) -> Any:
        return (n - 1 + (n >= 20_000)) * self.sites + site + 1

    def support(self, sites: int) -> None:
        return None

    def named(self) -> tuple[int, int]:
        return 0, self.sites - 1


class LateTurns(Base):
    """Has a schedule that is wrong late."""

    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule | None:
        return Turns(view.sites)


class Rests(Base):
    """Rests for some steps, and ends the game."""

    def plan(self, view: View) -> Schedule | None:
        return None if view.steps else Rest(5)


LONG_MUTANTS: dict[str, Any] = {
    cls.__name__: cls for cls in (LateTurns, *((LateMachine, CrowdedMachine) if available() else ()))
}
"""Adversaries whose faults grow with items or sites; the last two listed before the check of long games was written."""
MUTANTS: dict[str, Any] = {
    **({"OtherMachine": OtherMachine} if available() else {}),
    **{cls.__name__: cls for cls in (NoItem, Raises, Global, Unseeded, NoCopyButReset, Holds, FollowsOrder, Rests)},
    "NoKind": type("NoKind", (Base,), {"kind": "", "__doc__": "Nameless."}),
    "SeesAll": type("SeesAll", (Base,), {"sees": "everything", "__doc__": "Sees."}),
    "Caches": Caches,
    "NoDoc": type("NoDoc", (Base,), {}),
}
"""Every mutant; `refusals.txt` has what its refusal says."""


def turn(view: View) -> int:
    """Go round."""
    return view.steps % view.sites


RIGHT: tuple[Adversary, ...] = (Base(), SameMachine())
