"""What is said to input, mostly wrong, one file per room: each input on a line, and below it, indented, the answer.

Files of a wing are in ``tests/WING/goldens/messages``.

A line is added by hand, without its message; ``python tests/goldens`` writes the messages anew. This is the only place
where the wording of these rooms is asserted: read the difference as a user would.
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import own_kinds
import pandas as pd
import yaml
from click.testing import CliRunner
from hostile import sealed

import disttrack
from disttrack import Exact, RoundRobin, ScenarioError, load, play
from disttrack.adversaries.scripts import Scripted
from disttrack.simulator.cli import main
from disttrack.simulator.experiments.claims.claim import Claim, ill_typed
from disttrack.simulator.experiments.claims.expression_checks import (
    check_condition,
    check_measure,
    check_rows,
    column_types,
)
from disttrack.simulator.experiments.claims.expressions import ExpressionError, condition, measure
from disttrack.simulator.game.columns import TRIALS, ColumnType
from disttrack.simulator.game.network.deployed import read
from disttrack.simulator.game.network.faults import sites_of
from disttrack.simulator.game.network.model import network_of
from disttrack.simulator.game.tasks.fault_lists import with_faults
from disttrack.simulator.game.tasks.remarks import remarks
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.yaml_values import read_yaml
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.replay.files import load as read_record
from disttrack.simulator.shown.replay.files import save
from disttrack.simulator.shown.replay.record import record_of

TESTS: Final = Path(__file__).parents[1]
FILES: Final = {
    f"{path.relative_to(TESTS).parts[0]}-{path.stem}": path for path in sorted(TESTS.glob("**/goldens/messages/*.txt"))
}
"""The files, each by its place among the tests and its room."""
BASE: Final[dict[str, Any]] = {
    "name": "x",
    "sites": [2, 4],
    "items": 200,
    "protocol": [{"kind": "deterministic"}, {"kind": "block"}],
    "alpha": 0.1,
    "adversary": "freeze",
}
"""The scenario over which the keys of an input are set; a key without a value is removed."""
FILE: Final = """\
name: small
question: A small one
trials: 2
sites: [4, 8]
items: 1e3
protocol:
  - {kind: deterministic, alpha: [0.1, 0.2]}
  - {kind: randomized, alpha: 0.1, confidence: 2}
adversary: [round-robin, {kind: freeze}]
claims:
  - {name: all hold, measure: fraction(ok), at_least: 0.5}
plots: [{kind: cost, x: sites}]
"""
"""The file small.yaml, in which an input replaces a text by another, or over which it sets a key."""
HEAD: Final = """\
from dataclasses import dataclass
from disttrack import Adversary, Burst, Labels, Message, Protocol, Rest, Rotation, Server, Site
from disttrack.protocols.base import EVERYONE
"""
"""How the file of a user's class begins."""
OWN: Final = f"""{HEAD}
@dataclass
class Mine(Adversary):
    share: float = 0.5
    wait = 5
    def plan(self, view):
        return Burst(0)
"""
"""The file own.py that an input may name."""
DAY: Final = "time,node\n0.1,a\n0.1,b\n0.7,a\n2.1,c\n"
"""The file day.csv: when requests came, and where."""
RIGHT: Final = """
class S(Site):
    def silence(self):
        return 0
    def take(self, items):
        return [Message("item", items)]

class V(Server):
    def __init__(self):
        self.output = 0
    def hear(self, sender, message):
        self.output += message.value
        return ()

class Mine(Protocol):
    def sites(self, k, rng, start=()):
        return [S() for _ in range(k)]
    def server(self, k, rng, start=()):
        return V()
"""
"""A right tracker, in which an input replaces texts by others."""
ASKED: Final = f"""{HEAD}import sys
from disttrack import Exact, RoundRobin
from disttrack.simulator.game.tasks.tracking import Count
"""
"""How the file of a class begins that is asked what its game needs."""
NAMES: Final[dict[str, Any]] = {
    **{name: getattr(disttrack, name) for name in disttrack.__all__}, "Scripted": Scripted,
    "TRACKER": disttrack.Randomized(alpha=0.1), "SIZE": {"sites": 4, "items": 100}, "np": np, "pd": pd,
}  # fmt: skip
"""What an expression in Python may name."""
CONTROLLED: Final = [{"kind": "robust", "alpha": 0.2}, {"kind": "randomized", "alpha": 0.2}]
"""The protocols of a scenario with a claim, whose control is an input."""
KNOWN: Final[dict[str, ColumnType]] = {"sites": "number", "ok": "truth", "kind": "text", "new": "unknown"}
SWEPT: Final = column_types(
    (*TRIALS, "ratio"), {"spread": ["wide", "narrow"], "copies": [1, 2], "on": [True]}, {"items": "steps"}
)
TABLE: Final = {"a": np.array([1, 2, 3]), "kind": np.array(["x", "y", "x"])}
GAMES: Final = {
    "protocol": np.array(["a", "a", "b", "b"]), "sites": np.array([1.0, 4.0, 1.0, 4.0]),
    "words": np.array([10.0, 40.0, 10.0, 20.0]), "ok": np.array([True, True, False, True]),
    "mixed": np.array([True, None, False, True], dtype=object), "x": np.array([np.nan, 2.0, np.nan, np.nan]),
    "error": np.array([0.1, 0.3, np.inf, np.inf]), "none": np.full(4, np.nan),
}  # fmt: skip
INDENT: Final = "    "


def _scenario(text: str) -> None:
    keys = yaml.safe_load(text)
    load({key: value for key, value in {**BASE, **keys}.items() if value is not None})


def _points(text: str) -> str:
    keys = yaml.safe_load(text)
    overrides = keys.pop("set", [])
    usual = {"name": "x", "sites": 4, "items": 50, "protocol": "exact", "adversary": "freeze"}
    scenario = load({**usual, **keys}, overrides)
    lines = [f"{one.number}: {one.describe()}, start {one.start} {one.part}".strip() for one in scenario.points]
    lines += [f"{name} seed {plan.seed}, {plan.trials} trials".strip() for name, plan in scenario.plans.items()]
    lines += [f"skipped {one.what} {one.name!r}: {one.why}" for one in scenario.skipped]
    return "\n".join([*lines, *(f"{name}: {values}" for name, values in scenario.extra.items())])


def _claim(text: str) -> str:
    claim = Claim(**{"name": "c", "measure": "fraction(ok)", "at_least": 0.5, **yaml.safe_load(text)})
    if fault := ill_typed(claim, SWEPT):
        raise ExpressionError(": ".join(fault))
    return "{}: from {:.11g} to {:.11g}".format(claim.bound, *claim.accepts)


def _measure(text: str) -> str:
    check_measure(text, KNOWN)
    check_measure(text)
    return "accepted"


def _condition(text: str) -> str:
    check_condition(text, KNOWN)
    check_rows(text)
    return "accepted"


def _faults(text: str) -> None:
    play(Exact(), RoundRobin(), sites=4, items=10, network={"faults": yaml.safe_load(text)})


@contextmanager
def _file(old: str = "", new: str = "") -> Iterator[Path]:
    assert old in FILE
    with CliRunner().isolated_filesystem():
        Path("small.yaml").write_text(FILE.replace(old, new) if old else FILE, encoding="utf-8")
        Path("own.py").write_text(OWN, encoding="utf-8")
        Path("day.csv").write_text(DAY, encoding="utf-8")
        yield Path("small.yaml")


def _keys(text: str) -> None:
    load({"name": "x", **yaml.safe_load(text)})


def _edited(text: str) -> None:
    with _file(*json.loads(text)) as path:
        load(path)


def _whole(text: str) -> None:
    with _file() as path:
        path.write_text(json.loads(text), encoding="utf-8", errors="surrogatepass")
        load(path)


def _set(text: str) -> None:
    with _file() as path:
        load(path, [text])


def _control(text: str) -> None:
    claim = {"name": "c", "measure": "max(words)", "at_most": 1e9, "control": yaml.safe_load(text)}
    _scenario(yaml.safe_dump({"protocol": CONTROLLED, "alpha": None, "claims": [claim]}))


def _command(text: str) -> None:
    with _file():
        _ended(*shlex.split(text))


def _ended(*command: str) -> None:
    done = CliRunner().invoke(main, command, terminal_width=100)
    if done.exit_code:
        raise ValueError(done.stderr.strip())


def _adversary(text: str) -> None:
    with _file():
        Path("own.py").write_text(HEAD + json.loads(text) + "\n", encoding="utf-8")
        _ended(*shlex.split("play --protocol randomized --adversary own.py:Mine --sites 4 --items 200"))


def _tracker(text: str) -> None:
    code = RIGHT
    for old, new in json.loads(text):
        assert old in code
        code = code.replace(old, new, 1)
    with _file():
        Path("own.py").write_text(HEAD + code, encoding="utf-8")
        _ended(*shlex.split("play --protocol own.py:Mine --sites 4 --items 200 --set engine=step"))


def _task(text: str) -> None:
    code, flags = own_kinds.DICE, ["--workers", "1", "--no-figures", "--set", "claims=[]"]
    for old, new in json.loads(text):
        assert old == "--set" or old in code
        code, flags = (code, [*flags, old, new]) if old == "--set" else (code.replace(old, new, 1), flags)
    with _file():
        Path("own.py").write_text(OWN + code, encoding="utf-8")
        Path("dice.yaml").write_text(own_kinds.DICE_SCENARIO.replace("dice.py", "own.py"), encoding="utf-8")
        _ended("run", "dice.yaml", *flags)


def _trace(text: str) -> str:
    table, given = json.loads(text)
    with _file():
        Path("t.csv").write_text(table, encoding="utf-8", newline="")
        trace = disttrack.Trace(**{"file": "t.csv", **given})
        trace.check()
        rows = trace.stream().rows
        lines = [f"sites: {', '.join(trace.names)}".rstrip(), f"pace {rows.pace}, steps {rows.steps}"]
        lines += [f"{name}: {rows.column(name).tolist()}" for name in sorted(rows.has)]
        return "\n".join([*lines, *filter(None, [trace.remark])])


def _record(text: str) -> None:
    place, row = json.loads(text)
    with _file():
        path = Path("game.jsonl")
        save(record_of(play(NAMES["TRACKER"], disttrack.Freeze(), sites=8, items=400, record=True)), path)
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:-1]]
        rows[place] = {**rows[place], **row} if isinstance(row, dict) else row
        path.write_bytes(sealed(rows))
        try:
            read_record(path)
        except ScenarioError as error:  # what each version of pydantic says otherwise is left out
            raise ValueError(re.sub(r"(\.constrained-int)?: Input should .*", "", str(error))) from None


def _suffered(text: str) -> str:
    faults, more = json.loads(text)
    sides = {"protocol": "deterministic", "adversary": "round-robin", "sites": 3, "items": 400, "alpha": 0.1}
    done = with_faults(load({"name": "f", **sides, **more}).points[0], read(faults), 0.1)
    after = done.afterwards and done.afterwards.network
    lines = [f"{fault}: {reason}" for fault, reason in done.left_out]
    return "\n".join([repr(done.point.network), *lines, f"judged after {after['warm_up']}" if after else "not judged"])


def _asked(text: str) -> None:
    command, side, code = json.loads(text)
    sides = {"protocol": "exact", "adversary": "round-robin", "task": "count", side: "own.py:Mine"}
    with _file():
        Path("own.py").write_text(f"{ASKED}{code}\n", encoding="utf-8")
        Path("one.yaml").write_text(yaml.safe_dump({"sites": 3, "items": 90, **sides}), encoding="utf-8")
        _ended(*command.split(), "one.yaml")


def _repeat(text: str) -> str:
    edits, adversary = json.loads(text)
    code = RIGHT
    for old, new in edits:
        assert old in code
        code = code.replace(old, new, 1)
    with _file():
        Path("own.py").write_text(f"import random\n{HEAD}{code}\n{adversary}\n", encoding="utf-8")
        moves = "own.py:moves" if adversary else "round-robin"
        sizes = {"name": "x", "sites": 3, "items": 2000, "engine": "step"}
        points = load({**sizes, "protocol": "own.py:Mine", "adversary": moves}).points
        return "\n".join(remarks(points, limit=60.0)) or "nothing"


@cache
def _results() -> disttrack.Results:
    sizes = {"sites": [2, 4], "items": 50, "protocol": "exact", "adversary": "round-robin"}
    return disttrack.run(sizes, out=tempfile.mkdtemp(), workers=1)


def _opened(text: str) -> str:
    name, content, expression = json.loads(text)
    with _file():
        Path(name).write_text(content, encoding="utf-8")
        if not expression.startswith("disttrack "):
            return _part(expression)
        _ended(*shlex.split(expression)[1:])
    return ""


def _part(text: str) -> str:
    try:
        return repr(eval(text, dict(NAMES)))
    except (ValueError, ScenarioError) as error:
        return str(error)
    except Exception as error:  # of a class that nobody expects here
        return repr(error)


ROOMS: Final[dict[str, Callable[[str], object]]] = {
    "scenario": _scenario,
    "points": _points,
    "claim": _claim,
    "measure": _measure,
    "condition": _condition,
    "quantity": lambda text: check_rows(text, KNOWN),
    "measured": lambda text: measure(text, TABLE),
    "value": lambda text: f"{measure(text, GAMES).value:.12g}",
    "rows": lambda text: " ".join(map(str, condition(text, GAMES).astype(int))),
    "scalar": lambda text: repr(read_yaml(json.loads(text))[0]),
    "entry": lambda text: repr(entry_of(text)),
    "sites": lambda text: repr(sites_of(json.loads(text))),
    "network": lambda text: repr(network_of(yaml.safe_load(text))),
    "file": _edited,
    "whole": _keys,
    "yaml": _whole,
    "set": _set,
    "control": _control,
    "plot": lambda text: check_plot(yaml.safe_load(text), ("protocol", "adversary", "sites", "confidence")),
    "faults": _faults,
    "deployed": lambda text: read(json.loads(text)),
    "command": _command,
    "adversary": _adversary,
    "tracker": _tracker,
    "task": _task,
    "suffered": _suffered,
    "asked": _asked,
    "repeat": _repeat,
    "results": lambda text: eval(text, {**NAMES, "r": _results()}),
    "trace": _trace,
    "part": _part,
    "record": _record,
    "opened": _opened,
    "python": lambda text: eval(text, dict(NAMES)),
}
"""What is done with the inputs of each file."""


def blocks(path: Path) -> dict[str, list[str]]:
    """Return the inputs in a file, and its comments, each with the lines below it."""
    lines: dict[str, list[str]] = {}
    for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
        if line.startswith(INDENT):
            [*lines.values()][-1].append(line.removeprefix(INDENT))
        else:
            lines[line] = []
    return lines


def joined(lines: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a file with these inputs and the lines below each."""
    return "".join("\n".join([text, *(f"{INDENT}{line}" for line in below), ""]) for text, below in lines.items())


def said(path: Path, text: str) -> str:
    """Return the message on an input of a file, without folders and addresses, or the text that it is answered with."""
    try:
        answer = ROOMS[path.stem](text)
    except Exception as error:
        return re.sub(rf"(?<!\w)/[^ ()]*/(?=\w+\.py)|{tempfile.gettempdir()}/\w+/?| at 0x\w+", "", str(error))
    return answer if isinstance(answer, str) else ""


def written(path: Path) -> str:
    """Return a file as it is now."""
    texts = {text: "" if text.startswith("#") else said(path, text) for text in blocks(path)}
    return joined({text: message.splitlines() for text, message in texts.items()})


def regenerate_messages() -> None:
    """Write all messages anew, and say what has changed."""
    for name, path in FILES.items():
        text = written(path)
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"wrote messages {name}")
