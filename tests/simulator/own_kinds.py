"""Files of users' own classes for the tests of the runner, of the command line, of tasks and of plots."""

from __future__ import annotations

RAISES = '''
from disttrack.adversaries import Adversary, Burst

class Raises(Adversary):
    """Goes wrong in the games whose first random number is small."""
    def plan(self, view):
        if view.steps == 0 and view.rng.random() < 0.5:
            raise RuntimeError("went wrong on purpose")
        return Burst(0)
'''

RAISES_ONCE = '''
from pathlib import Path
from disttrack.adversaries import Adversary, Burst

class RaisesOnce(Adversary):
    """Goes wrong in the first game of all, before a coin has fallen."""
    draws_coins = False
    def __init__(self, mark: str):
        self.mark = mark
    def plan(self, view):
        if not Path(self.mark).exists():
            Path(self.mark).touch()
            raise RuntimeError("went wrong once")
        return Burst(0)
'''

DIES_OFTEN = '''
import os, signal
from pathlib import Path
from disttrack.adversaries import Adversary, Burst

class DiesOften(Adversary):
    """Kills its own process the first nine times, and notes each."""
    def __init__(self, mark: str):
        self.mark = mark
    def plan(self, view):
        with Path(self.mark).open("a") as mark:
            mark.write("x")
        if Path(self.mark).stat().st_size < 10:
            os.kill(os.getpid(), signal.SIGKILL)
        return Burst(0)
'''

DICE = '''
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks import Record, Size, Task

class Dice(Task):
    """A die is thrown so often, by none of the sides."""
    kind = "dice"
    sizes = (
        Size("faces", "sites", "Faces of the die.", least=2, needed=True),
        Size("throws", "items", "Throws of the die.", needed=True),
        Size("bonus", "start", "What is added to each throw.", least=0),
    )
    columns = ("total",)

    def check(self, point):
        point.protocol.make()
        point.adversary.make()

    def play(self, point, seed):
        rng = streams(seed, ("die",))["die"]
        total = int(rng.integers(1, point.sites, point.items, endpoint=True).sum()) + point.start * point.items
        return Record(row={"items": point.items, "total": total, "ok": True, "verdict": "ok"})
'''

DICE_SCENARIO = """
name: dice
task: dice.py:Dice
trials: 3
faces: [6, 20]
throws: [10, 100]
protocol: exact
adversary: round-robin
claims:
  - {name: half of the faces, each: faces, measure: mean(total / throws / (faces + 1)), equals: 0.5, within: 0.2}
  - {name: the columns' own names do as well, where: sites == 6 and items == 10, measure: max(total), at_most: 60}
plots:
  - {kind: measure, x: throws, y: total}
"""

SPREAD = '''
from dataclasses import dataclass
from typing import ClassVar
from disttrack.simulator.shown.plots import Plot

@dataclass(frozen=True, kw_only=True)
class Spread(Plot):
    """A dot per game."""
    kind: ClassVar[str] = "spread"
    x: str
    size: float = 3.0

    def __post_init__(self):
        if self.size <= 0:
            raise ValueError(f"size must be above 0; got {self.size}")

    def draw(self, tables):
        from disttrack.simulator.shown.plots.style import new_figure
        figure = new_figure(3, self.title or "Spread")
        figure.subplots().plot(tables.trials[self.x], tables.trials["words"], ".", markersize=self.size, gid="dot")
        return figure
'''
