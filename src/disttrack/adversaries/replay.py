"""The moves of an adversary: recorded, replayed as a measure of adaptivity, and written out as a fixed list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Final, NamedTuple

from disttrack.adversaries.base import Adversary, View, output_in
from disttrack.adversaries.schedules import NEVER, Burst, Rest, Runs, Schedule
from disttrack.adversaries.scripts import Scripted

SKIP: Final = -1
"""A skipped step, where sites are numbers."""
Run = tuple[int, int]
"""A site, or `SKIP`, and the number of consecutive steps."""


@dataclass
class Moves(Scripted, Adversary):
    """Plays a fixed list of moves, step by step; the game ends with it.

    Parameters
    ----------
    steps
        The site of each step, ``-`` for a skip, with blanks between; ``3*20`` stands for 20 steps at site 3.

    Raises
    ------
    ValueError
        A move is of another form.

    Source
    ------
    a list

    Examples
    --------
    >>> from disttrack import Deterministic, play
    >>> play(Deterministic(alpha=0.1), Moves("0 1 0*3 - 1"), sites=2, items=6).steps
    7
    """

    kind: ClassVar[str] = "moves"
    rests: ClassVar[bool] = True
    oblivious: ClassVar[bool] = True

    steps: str = "0"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.steps, int) and not isinstance(self.steps, bool):
            self.steps = str(self.steps)  # the only move, which YAML and the command line read as a number
        read(self.steps)

    def script(self, view: View) -> Iterator[Schedule]:
        yield Runs(*zip(*read(self.steps), strict=True))


def read(text: object) -> list[Run]:
    """Return the runs of a list of moves.

    >>> read("0 1*3 - 2")
    [(0, 1), (1, 3), (-1, 1), (2, 1)]
    """
    runs = []
    for move in text.split() if isinstance(text, str) else ():
        site, _, times = move.partition("*")
        if not ((site == "-" or site.isdecimal()) and (times.isdecimal() if "*" in move else True)):
            raise ValueError(f"steps must be sites with blanks between, - for a skip, 3*20 for 20 steps; got {move!r}")
        runs.append((SKIP if site == "-" else int(site), int(times or 1)))
    if not runs or min(length for _, length in runs) < 1:
        raise ValueError(f"steps must be a list of at least one move, such as '0 1 0 2'; got {text!r}")
    return runs


def written(runs: Iterable[Run]) -> str:
    """Return runs as a list of moves, consecutive ones on the same site as one; `read` takes it.

    >>> written([(0, 1), (1, 2), (1, 1), (-1, 1)])
    '0 1*3 -'
    """
    moves = [("-" if site == SKIP else f"{site}", times) for site, times in merged(runs)]
    return " ".join(site if times == 1 else f"{site}*{times}" for site, times in moves)


def merged(runs: Iterable[Run]) -> list[Run]:
    """Return runs with consecutive ones on the same site as one."""
    return [(site, sum(length for _, length in same)) for site, same in groupby(runs, itemgetter(0))]


Taken = list[tuple[Schedule, int]]
"""Plans, each with the number of its steps that were actually taken."""


class Turn(NamedTuple):
    """One request to an adversary: its view, and its answer.

    Attributes
    ----------
    step, sent
        Steps so far, and items sent.
    output, changes
        The output in the view, and the number of its changes.
    plan
        The plan that took over with the next step; None if the present one continued.
    """

    step: int
    sent: int
    output: Any
    changes: int
    plan: Schedule | None


class Recorder(Adversary):
    """Plays like another adversary, and records its views and answers.

    Attributes
    ----------
    turns
        One entry per request.
    """

    def __init__(self, inner: Adversary) -> None:
        self.inner = inner
        self.kind, self.source = inner.kind, inner.source  # type: ignore[misc]
        self.oblivious, self.sees, self.ends_by = inner.oblivious, inner.sees, inner.ends_by  # type: ignore[misc]
        self.turns: list[Turn] = []
        self._plan: Schedule | None = None
        self._end = 0

    def plan(self, view: View) -> Schedule | None:
        step, plan = view.steps, self.inner.plan(view)
        goes_on = plan is None or (plan is self._plan and step < self._end)  # as in `Consultation.accept`
        if plan is not None and not goes_on:
            self._plan, self._end = plan, step + getattr(plan, "length", 0)  # the game refuses other objects
        self.turns.append(Turn(step, view.sent, *output_in(view), None if goes_on else plan))
        return plan

    def moves(self, steps: int) -> Taken:
        """Return the moves of the first `steps` steps."""
        return taken(self.turns, steps)


def taken(turns: Iterable[Any], steps: int) -> Taken:
    """Return the moves of the first `steps` steps of a game with these requests."""
    begun = [(turn.plan, turn.step) for turn in turns if turn.plan is not None]
    ends = [*(begin for _, begin in begun[1:]), steps]
    return [(plan, end - begin) for (plan, begin), end in zip(begun, ends, strict=True) if end > begin]


class Prefix(Schedule):
    """The first `length` steps of another schedule."""

    __slots__ = ("length", "plan", "skips")

    def __init__(self, plan: Schedule, length: int) -> None:
        self.plan, self.length, self.skips = plan, length, plan.skips

    def at(self, step: Any) -> Any:
        return self.plan.at(step)

    def count(self, site: object, step: object) -> Any:
        return self.plan.count(site, step)

    def nth(self, site: object, n: object) -> Any:
        step = self.plan.nth(site, n)
        return step + (NEVER - step) * (step > self.length)

    def support(self, sites: int) -> Sequence[int] | None:
        return self.plan.support(sites)

    def named(self) -> tuple[int, int]:
        return self.plan.named()

    def sent(self, step: int) -> int:
        return self.plan.sent(step)

    def step_of(self, n: int) -> int:
        step = self.plan.step_of(n)
        return step if step <= self.length else NEVER


@dataclass
class Replay(Scripted, Adversary):
    """Replays, against fresh randomness, the moves of another adversary in a separate game.

    Before the game, the other adversary plays against the same protocol with other random numbers, and its moves are
    recorded. In the game they are a fixed stream. An attack that succeeds by the
    shape of its stream does as much harm now as before; one that needs the outputs does none.

    Parameters
    ----------
    of
        The other adversary: its kind, or kind and parameters as a mapping. It must see outputs only.

    Source
    ------
    the comparison of adaptive with oblivious streams.
    """

    kind: ClassVar[str] = "replay"
    rests: ClassVar[bool] = True
    plays: ClassVar[tuple[str, ...]] = ("count", "generalisation", "prediction")
    oblivious: ClassVar[bool] = True
    rehearses: ClassVar[bool] = True
    """Its moves are those of a game against the same protocol, so they differ between protocols."""

    of: str | Mapping[str, Any] = "freeze"
    _moves: list[Schedule] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        named = isinstance(self.of, str) or (isinstance(self.of, Mapping) and isinstance(self.of.get("kind"), str))
        if not named:
            raise ValueError(f"of must be a kind of adversary, or {{kind: …}} with its parameters; got {self.of!r}")

    def rehearsed(self, moves: Taken) -> Replay:
        """Return the replay of these moves."""
        made = Replay(self.of)
        made._moves = _joined(moves)
        return made

    def script(self, view: View) -> Iterator[Schedule]:
        if self._moves is None:
            raise RuntimeError("there is nothing to replay: play() records the moves first")
        return iter(self._moves)


def _joined(moves: Taken) -> list[Schedule]:
    """Return moves as plans, with consecutive bursts and rests merged."""
    plans: list[Schedule] = []
    for simple, group in groupby(moves, lambda move: isinstance(move[0], Burst | Rest)):
        if simple:
            runs = [(plan.site if isinstance(plan, Burst) else -1, length) for plan, length in group]
            plans.append(Runs(*zip(*runs, strict=True)))
        else:
            plans.extend(Prefix(plan, length) for plan, length in group)
    return plans
