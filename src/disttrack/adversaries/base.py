"""Base classes of adversaries: their view (`View`), their answer (`Adversary.plan`), and the known rules.

Between two changes of the output an adversary learns nothing, so its moves are a fixed
plan: a schedule (the game of Xiong, Zhu, Huang 2023, section 1, in which a deterministic
adversary is no restriction). It is asked for a plan at the start, after each change of the
output, and when its plan has run out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from operator import attrgetter
from typing import Any, ClassVar, Final, Literal, NoReturn

import numpy as np

from disttrack.adversaries.machines import Machine
from disttrack.adversaries.schedules import Burst, Rest, Schedule
from disttrack.mechanisms.checks import Checked
from disttrack.mechanisms.rules import BlockSizes, SamplingRule
from disttrack.mechanisms.shortcuts import KEPT, Shortcut
from disttrack.nearest import nearest

NOT_SHOWN: Final = {"observe", "record", "see", "show", "stand"}
"""Public names of views that are not for adversaries."""
SEEN_BY: Final = {"traffic": ("heard", "spoke_at", "spoken"), "state": ("site", "server", "state")}
"""What views of greater power show, by the power (`disttrack.adversaries.views`)."""
Sees = Literal["outputs", "traffic", "state"]
"""The power of an adversary: what it is shown."""


class Known(dict[str, Any]):
    """What an adversary knows of the algorithm, by name."""

    def __missing__(self, name: str) -> NoReturn:
        raise KeyError(
            f"the protocol states no {name!r}{nearest(name, self)} (accepted: {', '.join(self)}); "
            f"known.get({name!r}, …) has a value for protocols without it"
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"known is a mapping: view.known[{name!r}]", name=name, obj=self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Known, (dict(self),)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("view.known is read only; dict(view.known) is a copy that can be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


class Fact(property):
    """A value of a view: an adversary reads it, and only the game sets it."""

    def __init__(self, name: str) -> None:
        super().__init__(attrgetter(f"_{name}"))
        self.name = name

    def __set__(self, view: Any, value: object) -> NoReturn:
        raise AttributeError(
            f"view.{self.name} cannot be set: a view is read only; keep values of your own in self or in a variable"
        )

    def __delete__(self, view: Any) -> NoReturn:
        raise AttributeError(f"view.{self.name} cannot be deleted: a view is read only")


class Facts:
    """Base of all views. The values named in `_shown` are kept in slots of these names after an underscore."""

    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        for name in vars(cls).get("_shown", ()):
            setattr(cls, name, Fact(name))

    def record(self, **facts: object) -> None:
        """Set values by their names; for the game, and for tests of an adversary, only."""
        for name, value in facts.items():
            setattr(self, f"_{name}", value)


class View(Facts):
    """The information that an adversary has: the outputs, its own moves, and the algorithm's parameters.

    It is one object in the whole game and always shows the present: keep its values (``before = view.output``), for a
    view that is kept shows what is then the present too.

    Attributes
    ----------
    sites, items
        Number of sites; number of items of this game.
    start
        Items counted before the game began.
    steps
        Steps so far.
    sent
        Items sent (fewer than `steps` if it skipped some).
    output
        The server's present output, in items; a whole number is an int, whichever engine plays.
    changes
        Number of changes of the output.
    changed_at
        The step of the last change, 0 if there was none.
    known
        The protocol's kind and parameters, as a mapping: ``view.known["alpha"]``.
    rng
        The adversary's own random generator.
    answers
        In games whose sites answer each item, the last answer of each, None before its first; there `output` is the
        number of changes of these answers. Empty in other games.
    """

    _shown: ClassVar[tuple[str, ...]] = (
        "answers", "changed_at", "changes", "items", "known", "output", "rng", "sent", "sites", "start", "steps",
    )  # fmt: skip
    __slots__ = tuple(f"_{name}" for name in _shown)

    sites: int
    items: int
    start: int
    steps: int
    sent: int
    output: Any
    changes: int
    changed_at: int
    answers: Sequence[bool | None]
    known: Mapping[str, Any]
    rng: np.random.Generator

    def __init__(
        self,
        *,
        sites: int,
        items: int,
        rng: np.random.Generator,
        start: int = 0,
        known: Mapping[str, object] | None = None,
    ) -> None:
        self._sites = sites
        self._items = items
        self._start = start
        self._answers: Sequence[bool | None] = ()
        self._known = Known(known or {})
        self._rng = rng
        self.stand(0, 0, start, 0, 0)

    def __getattr__(self, name: str) -> NoReturn:
        """Say what there is; called for names that there are not."""
        known = sorted({one for one in dir(type(self)) if one[0] != "_"} - NOT_SHOWN)
        advice = nearest(name, known)
        for power, names in SEEN_BY.items():
            if name in names:
                shown = f"{name!r} is shown to an adversary whose class says sees = {power!r}, in a game that grants it"
                advice += f"{' or' if advice else ';'} {shown}"
        raise AttributeError(f"the view has no {name!r}{advice} (accepted: {', '.join(known)})", name=name, obj=self)

    @property
    def left(self) -> int:
        """Items left to send."""
        return self.items - self.sent

    def observe(self, answer: object) -> None:
        """Record the answer to a move, which ends a step; for the game only."""
        self._steps += 1
        self.show(answer)

    def stand(self, steps: int, sent: int, output: object, changes: int, changed_at: int) -> None:
        """Record where the game stands; for the game only."""
        self._steps, self._sent = steps, sent
        self._output, self._changes, self._changed_at = output, changes, changed_at

    def show(self, output: object) -> None:
        """Record an output, and whether it is another one; for the game only."""
        stood = self._output
        if output != stood and (output == output or stood == stood):  # NaN differs from itself, but is no change
            self._output = output
            self._changes += 1
            self._changed_at = self._steps


class Output(Fact):
    """The output: compiled functions have real numbers only, so one that is whole is shown as an int by each engine."""

    def __get__(self, view: Any, owner: type | None = None) -> Any:
        value = super().__get__(view, owner)
        return int(value) if type(value) is float and value.is_integer() else value


View.output = Output("output")


def output_in(view: View) -> tuple[Any, int]:
    """Return the output and the number of its changes, also of a view that does not show them; for the game only."""
    return view._output, view._changes


class Unseen(Fact):
    """A value that is not shown; the view says why."""

    def __get__(self, view: Any, owner: type | None = None) -> Any:
        if view is None:
            return self
        raise AttributeError(self.name, name=self.name, obj=view)


class BlindView(View):
    """The view of an adversary that says that it does not look at the outputs: they are not shown."""

    __slots__ = ()

    def __getattr__(self, name: str) -> NoReturn:
        if isinstance(vars(BlindView).get(name), Unseen):
            why = "is not shown to an adversary that says oblivious = True: leave that out if it looks at outputs"
            raise AttributeError(f"view.{name} {why}", name=name, obj=self)
        super().__getattr__(name)


for _name in ("answers", "changed_at", "changes", "output"):
    setattr(BlindView, _name, Unseen(_name))


class Opponent(Checked):
    """The side of a game that asks or feeds: declared facts, and parameters, the fields of a dataclass.

    Types of `disttrack.mechanisms.checks` declare the ranges of parameters, and values out of them are refused.

    A game is played with a copy, so fields that change during a game (``field(init=False)``) are fresh in the next.
    Duels ask for one move at a time, or, if it does not react, for all of them in arrays: subclasses define `move` or
    `stretches`. An `Adversary` gives plans, which a game turns into moves.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files."""
    oblivious: ClassVar[bool] = False
    """True if it does not depend on the outputs."""
    sees: ClassVar[Sees] = "outputs"
    """The power that it needs; a scenario must grant anything above outputs."""
    plays: ClassVar[tuple[str, ...]] = ()
    """The tasks that it is made for; other registered ones refuse it. Empty: every task that takes plans."""
    draws_coins: ClassVar[bool] = True
    """Whether it may draw random numbers that no seed decides. A class with False draws from `view.rng` only; a
    game that drew nothing from it is then played for one seed, and counted for all."""

    @classmethod
    def plays_in(cls, task: str) -> bool:
        """Return whether it is made for a task, or for every task that takes plans."""
        return not cls.plays or task in cls.plays

    ends_by: ClassVar[str] = "return None from plan() to end the game"
    """How it ends a game, for the message about one that skips for ever."""

    _ahead: Iterator[object] | None = None
    """The rest of the moves of `stretches`, for games of one move at a time."""

    def move(self, view: Any) -> Any:
        """Return the next move of a duel, None to end it: by default the next one of `stretches`."""
        if self._ahead is None:
            self._ahead = (move for block in self.stretches(view) for move in block.tolist())
        return next(self._ahead, None)

    def stretches(self, view: Any) -> Iterator[Any]:
        """Yield all moves of a duel in arrays, a row per move: only for opponents that do not react."""
        raise NotImplementedError(f"{type(self).__name__} defines neither move nor stretches")

    shortcuts: ClassVar = {"oblivious": Shortcut(False), "stretches": Shortcut(KEPT), "draws_coins": Shortcut(True)}
    descriptions = frozenset({"each_item", "least_sites", "leaves_steps", "looked_at", "plays_in", "sees"})


class Adversary(Opponent, ABC):
    """Chooses the next site. Subclasses define `plan`; an oblivious one is asked only when its plan has run out."""

    each_item: ClassVar[bool] = False
    """Whether it needs time for each item, e.g. to draw each item's site, and not only for each change."""
    rests: ClassVar[bool] = False
    """Whether its games may have more steps than items: it skips some, or has sites leave and return in them."""
    least_sites: int = 1
    """Sites that its moves name at least; a point with fewer is refused."""

    def leaves_steps(self, items: int) -> bool:
        """Return whether it is known to skip at least one step in a game of this number of items."""
        return False

    def looked_at(self, sites: int, items: int) -> int:
        """Return the items of a game that each take time, for the estimate of a run."""
        return items if self.each_item else 0

    @abstractmethod
    def plan(self, view: View) -> Schedule | None:
        """Return the moves until the output changes; None to continue with the present plan.

        After the last step of a finite schedule the adversary is asked again. None when
        the plan has run out ends the game.
        """

    def machine(self, view: View) -> Machine | None:
        """Return its rule as a function on numbers, for the engine `compiled`; None if there is no such form."""
        return None

    shortcuts: ClassVar = {"machine": Shortcut(machine)}


class Choice(Adversary):
    """The simplest adversary: a function of the view that returns a site, asked at every step.

    Returning None skips the step.

    Parameters
    ----------
    choose
        The function.

    Source
    ------
    a function of the user's own.
    """

    kind = "choice"
    each_item = True
    ends_by = "the function must return a site's number: None, as of a function without return, skips a step"
    says: ClassVar[str] = "returned"
    """What it does with an answer, for messages about it."""

    def __init__(self, choose: Callable[[View], Any]) -> None:
        self.choose = choose
        self.kind = getattr(getattr(choose, "func", choose), "__name__", self.kind)  # type: ignore[misc]  # of a partial

    def plan(self, view: View) -> Schedule | None:
        site = self.choose(view)
        if site is None:
            return Rest(1)
        try:
            return Burst(site, 1)
        except ValueError:
            return site  # type: ignore[no-any-return]  # the game refuses it, with the step


ALPHA: Final = 0.1
"""Default accuracy, for a protocol that states none."""
CONFIDENCE: Final = 3.0
"""Default c of sqrt(k)/p = alpha n/c, for a protocol that states none."""


def sampling_rule(view: View) -> SamplingRule:
    """Return the rule that determines p of a sampling tracker."""
    alpha, confidence = _supposed(view.known)
    return SamplingRule(alpha / confidence, view.sites)


def block_sizes(view: View) -> BlockSizes:
    """Return the block sizes of the tracker in blocks."""
    return BlockSizes(*_supposed(view.known), view.sites)


def early(view: View) -> float:
    """Return c sqrt(k) / alpha: the items from which a sampling tracker of confidence c does not report every item."""
    return early_of(view.known, view.sites)


def early_of(known: Mapping[str, object], sites: int) -> float:
    """Return the same for a protocol of these parameters."""
    return BlockSizes(*_supposed(known), sites).early


def estimate(view: View) -> float:
    """Return the output, or the adversary's own count if the output is no finite number."""
    output = float(view.output)
    return output if isfinite(output) else float(view.start + view.sent)


def _supposed(known: Mapping[str, Any]) -> tuple[float, float]:
    """Return alpha and c."""
    return float(known.get("alpha") or ALPHA), float(known.get("confidence") or CONFIDENCE)
