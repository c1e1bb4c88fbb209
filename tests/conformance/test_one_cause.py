"""A fault of a class with one wrong part is listed once, with the place of that part."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from disttrack.simulator.cli import main
from disttrack.simulator.workshop.conformance import suites

pytestmark = pytest.mark.usefixtures("one_size")

PARTS = """\
from dataclasses import dataclass

from disttrack import EVERYONE, Adversary, Exact, Message, Site, SumOfReports
from disttrack.adversaries import Burst


@dataclass(frozen=True)
class Mine(Exact):
    \"\"\"Parts of its own.\"\"\"

    kind = "mine"
    silent, tells = 0, True

    def sites(self, k, rng, start=()):
        return [Own(self) for _ in range(k)]


class Own(Site):
    def __init__(self, protocol):
        self.protocol, self.count = protocol, 0

    def silence(self):
        return self.protocol.silent

    def take(self, items):
        self.count += items
        return (Message("report", self.count if self.protocol.tells else None),)


@dataclass(frozen=True)
class Half(Mine):
    \"\"\"One part is wrong.\"\"\"

    kind = "half"
    silent = 1.5


@dataclass(frozen=True)
class Mute(Mine):
    \"\"\"One part is wrong.\"\"\"

    kind = "mute"
    tells = False

    def server(self, k, rng, start=()):
        return SumOfReports([0] * k)


@dataclass(frozen=True)
class Text(Mine):
    \"\"\"One part is wrong.\"\"\"

    kind = "text"
    def cost_bound(self, k, items, start=0):
        return "many"


@dataclass(frozen=True)
class Content(Mine):
    \"\"\"One part is wrong.\"\"\"

    kind = "content"
    def server(self, k, rng, start=()):
        return Reads([0] * k)


class Reads(SumOfReports):
    def hear(self, sender, message):
        return message.content


@dataclass(frozen=True)
class Lazy(Mine):
    \"\"\"One part is wrong.\"\"\"

    kind = "lazy"
    def sites(self, k, rng, start=()):
        return (Own(self) for _ in range(k))


@dataclass(frozen=True)
class Deaf(Mine):
    \"\"\"One part is wrong.\"\"\"

    kind = "deaf"
    def server(self, k, rng, start=()):
        return Tells([0] * k)

    def cost_bound(self, k, items, start=0):
        return float("inf")


class Tells(SumOfReports):
    def hear(self, sender, message):
        super().hear(sender, message)
        return [(EVERYONE, Message("told", 1))]


@dataclass
class Queue(Adversary):
    \"\"\"Feeds as many sites as it was asked.\"\"\"

    kind, source = "queue", "me"
    queue = []

    def plan(self, view):
        self.queue.append(0)
        return Burst(len(self.queue) % view.sites, 1)
"""


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Half", ["1. silence is honest: silence() is 1.5, not a whole number from 0 on"]),
        ("Mute", ["   fix: see what Own.take returns (wrong.py:"]),
        ("Text", ["1. states its facts: cost_bound returns 'many', not a number"]),
        ("Content", ["'Message' object has no attribute 'content': a Message has kind, value and words (wrong.py:"]),
        ("Lazy", ["1. silence is honest: sites() returns a generator fix: return a list: [… for _ in range(k)]"]),
        ("Deaf", ["1. ledger adds up: the server sends 'told' to sites, and Own has no hear"]),
        ("Queue", [
            "1. games are apart: two games with the same seed differ",
            "order; write queue: list = field(init=False, default_factory=list)",
        ]),
    ],
)  # fmt: skip
def test_one_cause_is_one_fault_and_its_message_names_the_place(
    name: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suites, "ITEMS", 150)
    (tmp_path / "wrong.py").write_text(PARTS)
    shown = " ".join(CliRunner().invoke(main, ["conformance", f"{tmp_path / 'wrong.py'}:{name}"]).stdout.split())
    assert "1 fault in" in shown
    assert all(line.strip() in shown for line in lines)


LATE = """\
from dataclasses import dataclass

import numpy as np

from disttrack import Deterministic, Exact, Message, Site


@dataclass(frozen=True)
class Late(Exact):
    \"\"\"Sends each item; after 150, a coin decides what the message is called.\"\"\"

    kind = "late"

    def sites(self, k, rng, start=()):
        return [Own(rng) for _ in range(k)]


class Own(Site):
    def __init__(self, rng):
        self.rng, self.count = rng, 0

    def silence(self):
        return 0

    def take(self, items):
        self.count += items
        heads = self.rng.random() < 0.5 and self.count > 150
        return (Message("heads" if heads else "tails", self.count),)


@dataclass(frozen=True)
class Fixed(Deterministic):
    \"\"\"Its coins have seeds of their own, so that all games are one.\"\"\"

    kind, guarantee = "fixed", "oblivious"
"""


@pytest.mark.quick_cases(0)
@pytest.mark.parametrize(("name", "said"), [
    ("Late", "no fault found in 8 checks"), ("Fixed", "note: Fixed draws nothing from rng in 150 items"),
])  # fmt: skip
def test_coins_that_decide_late_are_no_fault_and_coins_of_ones_own_are_named(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suites, "ITEMS", 150)
    (tmp_path / "late.py").write_text(LATE)
    shown = " ".join(CliRunner().invoke(main, ["conformance", f"{tmp_path / 'late.py'}:{name}"]).stdout.split())
    assert said in shown
