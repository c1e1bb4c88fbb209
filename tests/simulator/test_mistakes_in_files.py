"""Mistakes as users write them, each with the line that is wrong (`# here`) and the remedy that must be named.

Beside each stands what was meant, as far as the remedy does not say it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from disttrack.simulator.cli import main

HEAD = """\
from dataclasses import dataclass
from disttrack import Adversary, Burst, Labels, Message, Protocol, Rest, Rotation, Server, Site
from disttrack.protocols.base import EVERYONE
"""
PLAN = "class Mine(Adversary):\n    def plan(self, view):\n"
SITE = """
class S(Site):
    def silence(self):
        return 0
    def take(self, items):
        return [Message("item", items)]
"""
SERVER = """
class V(Server):
    def __init__(self):
        self.output = 0
    def hear(self, sender, message):
        self.output += message.value
        return ()
"""
SITES = """
class Mine(Protocol):
    def sites(self, k, rng, start=()):
        return [S() for _ in range(k)]
"""
MINE = f"{SITES}    def server(self, k, rng, start=()):\n        return V()\n"

FUNCTIONS = {
    "no return": ("def Mine(view):  # here\n    view.sites", "the function must return a site's number"),
    "a real number": ("def Mine(view):  # here\n    return view.sites / 2", "return 2, a whole number"),
    "sets the view": ("def Mine(view):\n    view.sites = 2  # here\n    return 0", "view.sites cannot be set"),
    "a site too far": ("def Mine(view):  # here\n    return view.sites", "this game has sites 0 … 3"),  # % view.sites
    "a comparison": ("def Mine(view):  # here\n    return view.sites > 2", "True and False are no sites"),
    "a site and a number": ("def Mine(view):  # here\n    return (0, 5)", "Burst(0, 5) feeds one site so often"),
    "a part of a number": ("def Mine(view):\n    return view.items[0]  # here", "view.items is one number, of all"),
    "a list of sites": ("def Mine(view):  # here\n    return [0, 1]", "Labels([0, 1]) feeds these sites in turn"),
    "a misspelt view": ("def Mine(view):\n    return view.site  # here", "did you mean 'sites'?"),
    "the truth": ("def Mine(view):\n    return view.n % 2  # here", "(accepted: "),  # view.sent
    "its parameters": ("def Mine(view):\n    return int(view.known['alfa'])  # here", "did you mean 'alpha'?"),
    "parameters as attributes": ("def Mine(view):\n    return int(view.known.alpha)  # here", "view.known['alpha']"),
    "a forgotten import": ("def Mine(view):\n    return math.floor(view.sent) % 4  # here", "name 'math' is not"),
    "yields a list of plans": (
        "from disttrack import Burst\n\ndef Mine(view):\n    yield [Burst(0), Burst(1)]  # here",
        "yield one plan at a time",
    ),
    "an async generator": ("async def Mine(view):  # here\n    yield 0", "write def in place of async def"),
    "a function that makes one": (
        "def Mine(view):  # here\n    return lambda view: 0",
        "name its result in the file",
    ),
}
GENERATORS = {
    "yields a number": (
        "def Mine(view):\n    while True:\n        view = yield 2  # here",
        "yield Burst(2) feeds site 2",
    ),
    "yields a list": ("def Mine(view):\n    yield [0, 1]  # here", "Labels([0, 1]) feeds these sites in turn"),
    "yields the class": ("def Mine(view):\n    yield Burst  # here", "Burst is a class: yield Burst(…)"),
    "yields an array": (
        "import numpy as np\n\ndef Mine(view):\n    yield np.arange(9)  # here",
        "yield Labels([0, 1, 2, 3, …]) feeds these sites in turn",
    ),
    "no first plan": (
        "def Mine(view):\n    view = yield  # here\n    yield Burst(0)",
        "yielded None in place of its first plan; yield a schedule (Burst, ",
    ),
    "sets the output": (
        "def Mine(view):\n    yield Burst(0)\n    view.output += 3  # here\n    yield Burst(1)",
        "view.output cannot be set: a view is read only",
    ),
    "a burst of nothing": ("def Mine(view):\n    yield Burst(0, 0)  # here", "must be at least 1; got 0"),
    "a burst too far": ("def Mine(view):\n    yield Burst(0, 5)\n    yield Burst(9)  # here", "sites 0 … 3"),
    "rests for ever": (
        "def Mine(view):\n    while True:\n        yield Rest()  # here",
        "return from the function to end the game",
    ),
    "no view back": ("def Mine(view):\n    yield Burst(0)\n    yield Burst(veiw.sites - 1)  # here", "name 'veiw'"),
    "raises": ("def Mine(view):\n    yield Burst(0)\n    raise ValueError('mine')  # here", "ValueError: mine"),
    "no arguments": ("def Mine():  # here\n    yield Burst(0)", "write def Mine(view): …"),
}
CLASSES = {
    "no plan": ("class Mine(Adversary):  # here\n    pass", "lacks plan: write def plan(self, view)"),
    "plan without view": (
        "class Mine(Adversary):\n    def plan(self):  # here\n        return Burst(0)",
        "plan(self, view)",
    ),
    "plan returns a number": (
        f"{PLAN.replace('view):', 'view):  # here')}        return 3",
        "return Burst(3) feeds site 3",
    ),
    "plan yields": (
        f"{PLAN.replace('view):', 'view):  # here')}        yield Burst(0)",
        "a plan() with yield is a function",
    ),
    "a field that is none": (f"{PLAN}        return Burst(self.site)  # here", "has no attribute 'site'"),
    "a syntax error": ("class Mine(Adversary)  # here\n    pass", "expected ':'"),
    "a misspelt import": ("from disttrack import Adversery  # here", "did you mean 'Adversary'?"),
    "a mutable default": ("@dataclass  # here\nclass Mine(Adversary):\n    fed: list = []", "use default_factory"),
    "power it has not": (f"{PLAN}        return Burst(len(view.spoken))  # here", "sees = 'traffic'"),
}


def own(site: str = "", server: str = "", mine: str = "") -> str:
    """Return a tracker with changes to its parts, each `old -> new`, several in lines."""
    text = ""
    for part, changes in ((SITE, site), (SERVER, server), (MINE, mine)):
        for change in changes.splitlines():
            old, new = change.strip().split(" -> ")
            part = part.replace(old, new, 1)
        text += part
    return text


TAKE, HEAR = "self, items): -> self, items):  # here\n", "message): -> message):  # here\n"
INIT, RULES = "__(self): -> __(self):  # here\n", "start=()): -> start=()):  # here\n"
PROTOCOLS = {
    "no server": (f"{SITE}{SITES.replace('Protocol):', 'Protocol):  # here')}", "lacks server: write def server("),
    "no Protocol": (own(mine="(Protocol): -> :  # here"), "does not extend"),
    "too few sites": (own(mine=f"{RULES}[S() for _ in range(k)] -> [S()]"), "must return a site for each of the k"),
    "sites without start": (own(mine="k, rng, start=()): -> k):  # here"), "write def sites(self, k, rng, start=())"),
    "no output": (own(server=f"{INIT}self.output = 0 -> pass"), "is missing: set self.output"),
    "take returns a message": (
        own(site=f"{TAKE}[Message(\"item\", items)] -> Message('item', items)"),
        "take must return Messages in a sequence",
    ),
    "hear returns messages": (own(server=f"{HEAR}return () -> return [message]"), "pairs (receiver, Message)"),
    "hear without sender": (
        own(server="sender, message): -> message):  # here"),
        "write def hear(self, sender, message)",
    ),
    "no silence": (own(site="silence -> quiet", mine="(k)] -> (k)]  # here"), "abstract method silence"),
    "silence below 0": (
        own(site="silence(self): -> silence(self):  # here\nreturn 0 -> return -1"),
        "silence must return a whole number of items, at least 0",
    ),
    "a message of no words": (own(site=f"{TAKE}items)] -> items, 0)]"), "accepted: a whole number of at least 1"),
    "a receiver that is none": (own(server=f"{HEAR}return () -> return [(9, message)]"), "this game has sites 0 … 3"),
    "not frozen": (
        f"{SITE}{SERVER}@dataclass  # here\n{MINE.strip()}\n    alpha: float = 0.1",
        "write @dataclass(frozen=True)",
    ),
}
GAME, SIDES = "name: x\nsites: 4\nitems: 200\n", "protocol: {kind: randomized, alpha: 0.1}\nadversary: freeze\n"
SCENARIOS = {
    "= in a condition": (
        f"{GAME}{SIDES}claims:\n  - {{name: c, where: \"protocol = 'x'\", measure: max(words), at_most: 5}}  # here",
        "to compare, write ==",
    ),
    "a list without brackets": (f"{GAME}{SIDES.replace('freeze', 'drain, zipf  # here')}", "brackets: [drain, zipf]"),
    "a key of another task": (f"{GAME}{SIDES}threshold: 3  # here", "threshold is a key of `task: threshold`"),
    "a misspelt kind": (f"{GAME}{SIDES.replace('freeze', 'freze  # here')}", "did you mean 'freeze'?"),
    "a protocol of another task": (
        f"{GAME}protocol: {{kind: item-sample}}  # here\nadversary: {{kind: constant}}\n",
        "a scenario with `task: item-sampling` plays it",
    ),
    "parameters as on the command line": (
        f"{GAME}protocol: randomized:alpha=0.1  # here\nadversary: freeze\n",
        "here it is {kind: randomized, alpha: 0.1}",
    ),
    "a wrong class name": (
        f"{GAME}{SIDES.replace('freeze', 'own.py:Mien  # here')}",
        "did you mean 'Mine'? (accepted: Mine)",
    ),
    "a file without a class": (f"{GAME}{SIDES.replace('freeze', 'own.py  # here')}", "name one, own.py:Mine"),
    "a key twice": (f"{GAME}{SIDES}sites: 8  # here", "the key 'sites' is given twice"),
    "an unknown column": (
        f"{GAME}{SIDES}claims:\n  - {{name: c, measure: max(wrds), at_most: 5}}  # here",
        "did you mean 'words'?",
    ),
    "an unknown axis": (f"{GAME}{SIDES}plots:\n  - {{kind: cost, x: sitess}}  # here", "a list makes a sweep"),
}
OF_A_GAME = {"adversary": FUNCTIONS | GENERATORS | CLASSES, "protocol": PROTOCOLS}
CASES = [(side, name) for side, cases in OF_A_GAME.items() for name in cases]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def message(*command: str) -> str:
    """Return the line with which a command ends."""
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code in (1, 2), result.output
    (line,) = result.stderr.strip().splitlines()
    return line


def line_of(text: str) -> str:
    """Return the number of the line that is wrong, as messages name it."""
    return next((f":{number}" for number, line in enumerate(text.splitlines(), 1) if "# here" in line), "")


@pytest.mark.drawn(20)
@pytest.mark.parametrize(("side", "name"), CASES)
def test_a_mistake_in_code_names_file_line_and_remedy(side: str, name: str) -> None:
    code, remedy = OF_A_GAME[side][name]
    text = HEAD + code
    Path("own.py").write_text(text + "\n", encoding="utf-8")
    other = {"protocol": "randomized", "adversary": "freeze"} | {side: "own.py:Mine"}
    flags = [word for role, kind in other.items() for word in (f"--{role}", kind)]
    line = message("play", *flags, "--sites", "4", "--items", "200")
    assert remedy in line
    assert f"own.py{line_of(text)}" in line if line_of(text) else "Mine" in line


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_mistake_in_a_scenario_names_file_line_and_remedy(name: str) -> None:
    text, remedy = SCENARIOS[name]
    Path("own.py").write_text("def Mine(view):\n    return 0\n", encoding="utf-8")
    Path("s.yaml").write_text(text, encoding="utf-8")
    line = message("check", "s.yaml")
    assert remedy in line
    assert line.startswith(f"s.yaml{line_of(text)}: ")


def test_a_value_that_is_asked_for_within_a_silence_only_is_named_too() -> None:
    site = """
class S(Site):
    n = 0
    def silence(self):
        return 3 - self.n % 4
    def take(self, items):  # here
        self.n += items
        if self.n % 4 == 0:
            return [Message("items", 4)]
"""
    text = f"{HEAD}{site}{SERVER}{MINE}"
    Path("own.py").write_text(text, encoding="utf-8")
    flags = ("--protocol", "own.py:Mine", "--adversary", "round-robin", "--sites", "4", "--items", "200")
    line = message("play", *flags, "--set", "engine=step")
    assert "S.take must return Messages in a sequence" in line
    assert f"own.py{line_of(text)}" in line
