"""Checks of a point before its games: whether it is valid, and what its games need.

Classes of users may raise when they are called (a protocol in `cost_bound`, a task in `demand`): that is reported in
one line, like any other error of a point.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite, isnan
from traceback import walk_tb
from typing import Final

from disttrack.simulator.errors import ScenarioError, must_be, printable
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.point import Part, Point, PointError
from disttrack.simulator.kinds.source import EXITS, guarded

SMALLEST: Final = 1e-100
"""Smallest absolute value of a nonzero parameter; its inverse is the largest.

Powers and quotients of such numbers are still floats; of 1e-300, or of a whole number of 400 digits, they are not. No
game needs such numbers: a promise of 1e-18 is exact for all possible counts.
"""


def check_point(task: Task, point: Point) -> None:
    """Make both sides of a point, and call users' classes for their demand.

    Raises
    ------
    PointError
        The point is invalid; the message says where.
    """
    for part in (point.protocol, point.adversary):
        for name, value in part.arguments.items():
            if isinstance(value, float) and isnan(value):
                part.make()  # whose error says which numbers it takes
                raise part.wrong(must_be("a number", value), name)
            _refuse_extremes(part, name, value)
    if not point.own:
        task.check(point)
        return
    try:
        with guarded():
            task.check(point)
            demand = task.demand(point)
            if not isfinite(demand.seconds + demand.memory + demand.messages):
                raise PointError(("task",), f"{point.task.kind}: demand() must return finite numbers; got {demand}")
    except ScenarioError:
        raise
    except EXITS as error:
        part, where = _fault(point, error)
        message = printable(" ".join(str(error).split()))
        raise PointError((part.role,), f"{part.kind}: {where} raised {type(error).__name__}: {message}") from error


def _refuse_extremes(part: Part, name: str, value: object) -> None:
    """Raise PointError if a number in a parameter is too small or too large to compute with; infinity is allowed."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            _refuse_extremes(part, name, one)
    elif isinstance(value, int | float) and value not in (0, inf, -inf) and not SMALLEST <= abs(value) <= 1 / SMALLEST:
        accepted = f"must be 0 or of a size between {SMALLEST:g} and {1 / SMALLEST:g}"
        got = repr(value) if isinstance(value, float) else f"a whole number of {value.bit_length():,} bits"
        raise part.wrong(f"{accepted}; got {got}", name)


def _fault(point: Point, error: BaseException) -> tuple[Part, str]:
    """Return the part whose code raised an error, and the method and line in it."""
    frames = [(frame.f_globals.get("__name__"), frame.f_code, line) for frame, line in walk_tb(error.__traceback__)]
    parts = [part for part in (point.protocol, point.adversary, point.task) if part.own]
    for module, code, line in reversed(frames):
        for part in parts:
            if module == part.maker().__module__ or code.co_filename in {file.path for file in part.files().values()}:
                return part, f"{code.co_name} (line {line})"
    return parts[0], f"{frames[-1][1].co_name} of task {point.task.label}"  # caused by its argument
