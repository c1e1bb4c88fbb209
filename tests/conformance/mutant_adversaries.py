"""Adversaries with one fault each. The conformance suite must find every one of them."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries import Adversary, Burst, View
from disttrack.adversaries.schedules import NEVER, Rotation, Schedule


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


class OneBeyond(Base):
    """Takes sites to be counted from 1."""

    def plan(self, view: View) -> Schedule | None:
        return Burst(1 + view.sent % view.sites, 3)


class BelowZero(Base):
    """Counts sites from the end."""

    def plan(self, view: View) -> Schedule | None:
        return Burst(-1, 3)


class NoPlan(Base):
    """Answers with a number."""

    def plan(self, view: View) -> Any:
        return 3


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


class ClassMemory(Base):
    """Keeps in its class how often it was asked, through all games."""

    asked: ClassVar[list[int]] = []

    def plan(self, view: View) -> Schedule | None:
        self.asked.append(view.steps)
        return Burst(len(self.asked) % view.sites, 2)


class NoCopy(Base):
    """Won't be copied, so that all games share its state."""

    def __init__(self) -> None:
        self.turn = 0

    def __deepcopy__(self, memo: Any) -> NoCopy:
        return self

    def plan(self, view: View) -> Schedule | None:
        self.turn += 1
        return Burst(self.turn % view.sites, 2)


class NoCopyButReset(NoCopy):
    """The same, but the moves come out alike: only the traces left behind tell."""

    def plan(self, view: View) -> Schedule | None:
        self.turn += 1
        return Burst(view.sent % view.sites, 2)


class Holds(Base):
    """Holds a function, which can't go to a worker."""

    def __init__(self) -> None:
        self.rule = lambda count: count


class FollowsOutputs(Base):
    """Says oblivious, and goes by the output."""

    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule | None:
        return Burst(int(view.output) % view.sites, 5)


class FollowsOrder(Base):
    """Says oblivious, feeds all sites alike, but in an order that goes by the outputs."""

    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule | None:
        return Burst((view.sent // 5 + (1 if view.changes > 50 else 0)) % view.sites, 5)


class FollowsLengths(Base):
    """Says oblivious, and is quicker to move on when the output is too high."""

    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule | None:
        return Burst(view.sent % view.sites, 3 if view.output > view.sent else 5)


class LateNth(Rotation):
    """Says that items come later than they do."""

    of_site = Schedule.of_site

    def nth(self, site: Any, n: Any) -> Any:
        step = super().nth(site, n)
        return step if step >= NEVER else step + self.sites


class WrongInverse(Base):
    """Its schedule's answers do not fit together."""

    def plan(self, view: View) -> Schedule | None:
        return LateNth(view.sites)


MUTANTS: dict[str, tuple[Any, str]] = {
    "NoItem": (NoItem, "sent no item"),
    "OneBeyond": (OneBeyond, "named site 1 at step 1; this game has sites 0 … 0"),
    "BelowZero": (BelowZero, "named site -1"),
    "NoPlan": (NoPlan, r"plan\(\) returned 3"),
    "Raises": (Raises, "raises KeyError: .*nothing comes to mind"),
    "Global": (Global, "global random generator|same seed differ|step and leap"),
    "Unseeded": (Unseeded, "step and leap play different games|same seed differ"),
    "ClassMemory": (ClassMemory, "step and leap play different games|same seed differ"),
    "NoCopy": (NoCopy, "step and leap play different games|same seed differ"),
    "NoCopyButReset": (NoCopyButReset, "a game changes the adversary handed in"),
    "Holds": (Holds, "does not survive pickling"),
    "FollowsOutputs": (FollowsOutputs, "says oblivious, but its moves depend"),
    "FollowsOrder": (FollowsOrder, "says oblivious, but its moves depend"),
    "FollowsLengths": (FollowsLengths, "says oblivious, but its moves depend"),
    "WrongInverse": (
        WrongInverse,
        "step and leap play different games|spoke within its silence|count, nth and sent return",
    ),
    "NoKind": (type("NoKind", (Base,), {"kind": "", "__doc__": "Nameless."}), "says no kind"),
    "NoSource": (type("NoSource", (Base,), {"source": "", "__doc__": "From nowhere."}), "says no source"),
    "SeesAll": (type("SeesAll", (Base,), {"sees": "everything", "__doc__": "Sees."}), "sees 'everything'"),
    "NoDoc": (type("NoDoc", (Base,), {}), "has no docstring"),
}
"""Every mutant, and what its refusal must say."""

RIGHT: tuple[Adversary, ...] = (Base(),)
