"""Classes with a fault as a user writes them, and what ``disttrack conformance`` prints of each.

`commands.txt` has a class a line, and below it, indented, the output; ``python tests/goldens`` writes it anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from golden_messages import blocks, joined

from disttrack.simulator.cli import main
from disttrack.simulator.workshop.conformance import adversaries, promises, suites

FILE: Final = Path(__file__).with_name("commands.txt")
MINE = """\
from dataclasses import dataclass

from disttrack import Exact, Message, Protocol, Site, SumOfReports


class Counts(Site):
    def __init__(self):
        self.count = 0

    def take(self, items):
        print("counts")
        self.count += items
        return (Message("report", self.count),)


class Lost:
    \"\"\"Nothing of which there are tests.\"\"\"


class Promises(Counts):
    def silence(self):
        return 2


@dataclass(frozen=True)
class Mine(Exact):
    \"\"\"Sites of its own.\"\"\"

    kind = "mine"

    def sites(self, k, rng, start=()):
        return [Counts() for _ in range(k)]


@dataclass(frozen=True)
class Other(Mine):
    \"\"\"Sites that promise more silence than they keep.\"\"\"

    kind = "other"

    def sites(self, k, rng, start=()):
        return [Promises() for _ in range(k)]
"""
WRONG = """\
from dataclasses import dataclass

from disttrack import Message, Protocol, Site, SumOfReports
from disttrack.mechanisms.checks import Share


class Counts(Site):
    def __init__(self, count):
        self.count = count

    def silence(self):
        return 0

    def take(self, items):
        self.count += items
        return (Message("report", self.count),)


class Doubling(SumOfReports):
    def hear(self, sender, message):
        answer = super().hear(sender, message)
        self.output *= 2
        return answer


class Deaf(SumOfReports):
    def hear(self, sender, message):
        return ()


@dataclass(frozen=True)
class Doubled(Protocol):
    \"\"\"Its server is wrong.\"\"\"

    kind = "doubled"
    source = "made for this test"
    reveals = "all"
    guarantee = "always"
    part = Doubling
    alpha: Share = 0.1

    def __post_init__(self):
        pass

    def sites(self, k, rng, start=()):
        return [Counts(count) for count in start or [0] * k]

    def server(self, k, rng, start=()):
        return self.part(start or [0] * k)


@dataclass(frozen=True)
class Deafened(Doubled):
    \"\"\"Its server hears nothing.\"\"\"

    guarantee = "always"
    part = Deaf


@dataclass(frozen=True)
class Shared(Doubled):
    \"\"\"One site in the place of all.\"\"\"

    guarantee = "none"

    def __post_init__(self):
        super(Doubled, self).__post_init__()

    def sites(self, k, rng, start=()):
        return [Counts(0)] * k
"""
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
LATE = """\
from dataclasses import dataclass

from disttrack import Deterministic


@dataclass(frozen=True)
class Fixed(Deterministic):
    \"\"\"Its coins have seeds of their own, so that all games are one.\"\"\"

    kind, guarantee = "fixed", "oblivious"
"""
FILES: Final = {"mine.py": MINE, "wrong.py": WRONG, "parts.py": PARTS, "late.py": LATE}


def shorten(patch: pytest.MonkeyPatch) -> None:
    """Let conformance play short games, and few large ones."""
    patch.setattr(suites, "ITEMS", 150)
    patch.setattr(adversaries, "LONG", ((3, 300),))
    patch.setattr(promises, "sizes_of", lambda protocol: [promises.Size(20, 1000, 0, ("freeze", "uniform"))])


def write_files(folder: Path) -> None:
    """Write the files of users into a folder."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def printed(name: str) -> list[str]:
    """Return what the command prints of a class of a file in the current folder, without empty lines."""
    done = CliRunner().invoke(main, ["conformance", name], catch_exceptions=False)
    return [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]


def regenerate_commands(folder: Path) -> None:
    """Write all outputs anew."""
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        patch.chdir(folder)
        write_files(folder)
        lines = {name: printed(name) for name in blocks(FILE)}
    FILE.write_text(joined(lines), encoding="utf-8")
