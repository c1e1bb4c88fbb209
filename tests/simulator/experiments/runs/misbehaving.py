"""A file of adversaries that misbehave, each in one way, for the tests of worker processes."""

from __future__ import annotations

MISBEHAVES = '''
import faulthandler, os, signal, sys, time
import numpy as np
from disttrack.adversaries import Adversary, Burst


def exits():
    sys.exit(0)

def leaves():
    os._exit(0)

def crashes():
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)

def interrupts():
    raise KeyboardInterrupt

class Own(BaseException):
    pass

def raises_its_own():
    raise Own("\\\\x1b[2J lone \\\\udc80".encode().decode("unicode_escape"))

def hangs():
    while True:
        pass

def prints():
    print("hello from a game")
    print("x" * 100, file=sys.stderr)
    os.write(1, b"straight to the descriptor\\n")

def wanders():
    if os.getcwd() == "/":
        raise RuntimeError("as the game before has left it")
    os.chdir("/")
    np.random.seed(0)

def copies():
    os.fork()

def forks():
    if os.fork() == 0:
        os.fork()

def leaves_a_copy():
    if os.fork() == 0:
        time.sleep(600)

def defaces():
    from disttrack.simulator.game.ledger import Ledger
    Ledger.words = property(lambda self: 7)


class Misbehaves(Adversary):
    """Does something that it should not, in the middle of each game."""
    def __init__(self, how: str):
        self.how = how
    def plan(self, view):
        if view.steps > 0 and self.how:
            how, self.how = self.how, ""
            globals()[how]()
        return Burst(0, 50)
'''
