"""Who feeds the sites: what an adversary sees (`View`) and how it answers (`Adversary.plan`).

Between two changes of the output an adversary learns nothing, so whatever it does is a fixed
plan: a schedule (the game of Xiong, Zhu, Huang 2023, section 1, where a deterministic
adversary is no restriction). It is asked for one at the start, whenever the output has
changed, and when its plan has run out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from disttrack.adversaries.schedules import Burst, Rest, Schedule


class View:
    """All that an adversary may know: the outputs, its own moves, and the algorithm's parameters.

    Attributes
    ----------
    sites, items
        Number of sites; number of items that this game will have.
    start
        Items counted before the game began.
    steps
        Steps that have passed.
    sent
        Items that it has sent (fewer than `steps` if it skipped some).
    output
        The server's present output, in items.
    changes
        How often the output has changed.
    changed_at
        The step of the last change, 0 if there was none.
    known
        The protocol's kind and parameters, as a mapping: ``view.known["alpha"]``.
    rng
        The adversary's own random generator.
    """

    __slots__ = (
        "changed_at", "changes", "items", "known", "output", "rng", "sent", "sites", "start", "steps",
    )  # fmt: skip

    def __init__(
        self,
        *,
        sites: int,
        items: int,
        rng: np.random.Generator,
        start: int = 0,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        self.sites = sites
        self.items = items
        self.start = start
        self.steps = 0
        self.sent = 0
        self.output: Any = start
        self.changes = 0
        self.changed_at = 0
        self.known: Mapping[str, Any] = known or {}
        self.rng = rng

    @property
    def left(self) -> int:
        """Items that are still to be sent."""
        return self.items - self.sent


class Adversary(ABC):
    """Chooses the next site, again and again. Subclasses define `plan`; parameters are the fields of a dataclass.

    The engine plays each game with a copy of its own, so what a game leaves behind in fields
    (``field(init=False)``) is gone at the next.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files."""
    source: ClassVar[str] = ""
    """Paper and section, or where the idea comes from."""
    oblivious: ClassVar[bool] = False
    """True if the outputs play no part: it is then asked only when its plan has run out."""
    sees: ClassVar[Literal["outputs", "traffic", "state"]] = "outputs"
    """The power that it needs; a scenario must grant anything above outputs."""
    draws_coins: ClassVar[bool] = True
    """Whether it may draw random numbers that no seed decides. A class that says False draws from `view.rng` only; a
    game in which nothing was drawn at all is then played for one seed, and counted for all."""

    each_item: ClassVar[bool] = False
    """Whether it takes time for each item, as one that draws each item's site does, and not for each change only."""

    @abstractmethod
    def plan(self, view: View) -> Schedule | None:
        """Return what to do until the output changes; None means to go on with the present plan.

        A finite schedule runs out, and the adversary is asked again after its last step. None when
        the plan has run out means that there is nothing more to come: the game ends there.
        """

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name, as a scenario file would give them."""
        if not is_dataclass(self):
            return {}
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}


class Choice(Adversary):
    """The simplest adversary: a function of the view that returns a site, asked at every step.

    Returning None skips the step.
    """

    kind = "choice"
    source = "a function of the user's own"
    each_item = True

    def __init__(self, choose: Callable[[View], int | None]) -> None:
        self.choose = choose

    def plan(self, view: View) -> Schedule:
        site = self.choose(view)
        return Rest(1) if site is None else Burst(site, 1)
