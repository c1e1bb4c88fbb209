"""A fixed list of moves, written out: the form in which the shortest failing game is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Final

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.listed_schedules import Runs
from disttrack.adversaries.schedules import Schedule
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
    moves = [
        ("-" if site == SKIP else f"{site}", sum(length for _, length in same))
        for site, same in groupby(runs, lambda run: run[0])
    ]
    return " ".join(site if times == 1 else f"{site}*{times}" for site, times in moves)
