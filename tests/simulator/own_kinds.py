"""Files of users' own classes for the tests of the runner and of the command line."""

from __future__ import annotations

RAISES = '''
from adversaries import Adversary, Burst

class Raises(Adversary):
    """Goes wrong in the games whose first random number is small."""
    def plan(self, view):
        if view.steps == 0 and view.rng.random() < 0.5:
            raise RuntimeError("went wrong on purpose")
        return Burst(0)
'''

STRAYS = '''
from adversaries import Adversary, Burst, Rotation

class Strays(Adversary):
    """Names a site that does not exist after the output has changed seven times."""
    def plan(self, view):
        return Burst(view.sites) if view.changes == 7 else Burst(0)
'''

DIES = '''
import os, signal
from pathlib import Path
from adversaries import Adversary, Burst

class Dies(Adversary):
    """Kills its own process, the first time or always."""
    def __init__(self, mark: str, always: bool = False):
        self.mark, self.always = mark, always
    def plan(self, view):
        mark = Path(self.mark)
        if self.always or not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Burst(0)
'''

SLOW = '''
import time
from adversaries import Adversary, Burst

class Slow(Adversary):
    """Takes its time at every game."""
    def __init__(self, seconds: float = 0.1):
        self.seconds = seconds
    def plan(self, view):
        if view.steps == 0:
            time.sleep(self.seconds)
        return Burst(0)
'''
