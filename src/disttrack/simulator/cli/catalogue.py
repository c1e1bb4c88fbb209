"""``disttrack list``: the kinds by the game that they play, tables of them and of the scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING
from functools import partial
from os.path import commonpath
from pathlib import Path
from typing import Any, Final

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.kinds.registry import FAMILIES, HOMES, ROLES, Family, Kind, kinds, kinds_for, parameters
from disttrack.simulator.kinds.source import import_reference, is_reference
from disttrack.simulator.shown.terminal.tables import Column, Table, print_table, terminal_width, wrapped

SORTS: Final[dict[str, Family]] = {
    **{home.plural: family for family, home in HOMES.items()},
    "mechanisms": "protocol",
    "scenarios": "task",
}
"""What can be listed, and the family of its kinds; scenarios in the order of tasks."""
RANKS: Final = {"from": 3, "parameters": 2, "sizes": 1, "sees": 1, "promises": 1}
"""Columns that a narrow terminal leaves out."""
PIPE: Final = 80
"""Letters of a line of the first screen in a pipe: many read it through `less`."""
INDENT: Final = " " * 4
SEES: Final = {"outputs": "adaptive", "traffic": "channels", "state": "white-box"}
"""What an adversary that reacts sees, in a word."""
TEACHING: Final = (
    "headline",
    "processes",
    "attack",
    "feedback",
    "arms-race",
    "accuracy",
    "scale",
    "baselines",
    "faults",
    "power",
)
"""The scenarios to begin with, in this order; theory follows, game by game: each paper has a game."""


@click.command("list")
@click.argument("what", metavar="[WHAT]", required=False, shell_complete=completion.kinds_of(*SORTS, "task"))
def list_(what: str | None) -> None:
    """List available kinds and scenarios.

    Without WHAT, the names of all kinds on one screen, by the game that they play. WHAT is a task, protocols,
    adversaries, mechanisms, tasks, plots or scenarios: tables with parameters.
    """
    if what is None:
        _print_games()
    elif what in SORTS:
        rows = _scenarios() if what == "scenarios" else [_row(kind) for kind in _of_sort(what)]
        _print(what.capitalize(), rows)
    elif what in kinds("task"):
        _print_task(what)
    else:
        raise ScenarioError(f"disttrack list: {_fault_of(what)}")


def _fault_of(what: str) -> str:
    """Return the reason why there is no list with this name."""
    from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

    sorts = {name: family for family in FAMILIES for name in kinds(family)}
    known = {**dict.fromkeys(shipped_scenarios(), "scenario"), **sorts}
    if what in known or is_reference(what):
        return f"for {known.get(what, 'class')} {what}: disttrack describe {what}"
    others = f"{accepted(SORTS)}, or a task that disttrack list names"
    return f"there is no {what!r}{nearest(what, [*SORTS, *known])} ({others})"


def _print_games() -> None:
    """Print the names of all kinds by the game that they play, as their registrations state it; none is loaded."""
    width = terminal_width() or PIPE
    families: tuple[Family, ...] = ("task", *ROLES)
    games: dict[str, list[list[str]]] = {}
    for place, family in enumerate(families):
        for kind in kinds(family).values():
            games.setdefault(kind.group or _package_of(kind), [[], [], []])[place].append(kind.name)
    _print_lines(width, "Games: tasks, protocols, adversaries:")
    for title, (tasks, *sides) in games.items():
        whole = "count" in tasks  # most users play it
        shown = ", ".join if whole else partial(_fitting, room=width - len(INDENT))
        head = f"{title} ({', '.join(tasks)}): " if tasks else f"{title}: "
        protocols, (first, *others) = shown(sides[0]), sides[1] or [""]
        if len(head) + len(protocols) > width:
            _print_lines(width, head)
            head = INDENT
        _print_lines(width, protocols, head, INDENT)
        if first:
            _print_lines(width, shown([f"against {first}", *others]), INDENT, INDENT)
    _print_lines(width, f"disttrack list WHAT: a task, {', '.join(SORTS)}.")
    _print_lines(width, "More: disttrack describe NAME.")


def _print_lines(width: int, text: str, first: str = "", further: str = "  ") -> None:
    click.echo("\n".join(wrapped(text, width, first, further)))


def _fitting(names: Sequence[str], room: int) -> str:
    """Return the names that fit into a line of this length, and the number of the others."""
    for shown in range(len(names), 1, -1):
        others = f", {len(names) - shown} more" if shown < len(names) else ""
        text = ", ".join(names[:shown]) + others
        if len(text) <= room:
            return text
    return ", ".join(names)


def _package_of(kind: Kind) -> str:
    """Return the package in which all kinds are that the distribution of a kind registers by entry points."""
    others = (one for family in FAMILIES for one in kinds(family).values() if one.origin == kind.origin)
    package = commonpath(one.reference.partition(":")[0].replace(".", "/") for one in others if not one.group)
    return f"Package {package.replace('/', '.') or kind.origin}"


def _of_sort(what: str) -> Iterator[Kind]:
    """Yield the kinds of a sort; mechanisms are those under `protocol:` without sites and server."""
    family = SORTS[what]
    mechanisms = kinds_for(family, "disttrack.mechanisms.base:Mechanism") if family == "protocol" else {}
    for name, kind in kinds(family).items():
        if kind.family != "protocol" or (name in mechanisms) == (what == "mechanisms"):
            yield kind


def _print_task(task: str) -> None:
    """Print what plays a task: those that answer, then those that ask."""
    maker = kinds("task")[task].load()
    for role in ROLES:
        mine = [kind for kind in maker.kinds(role).values() if role == "protocol" or kind.load().plays_in(task)]
        if mine:
            _print(f"Task {task}: {HOMES[role].plural}", [_row(kind) for kind in mine])


def _row(kind: Kind) -> dict[str, str]:
    """Return the row of a kind."""
    from disttrack.simulator.kinds.facts import first_line

    maker = kind.load()
    row = {"kind": kind.name}
    if kind.family == "adversary":
        seen = "oblivious" if getattr(maker, "oblivious", False) else SEES.get(getattr(maker, "sees", ""), "adaptive")
        row["sees"] = seen
    elif kind.family == "protocol":
        promised = getattr(maker, "guarantee", "") or getattr(maker, "privacy", "")
        row["promises"] = promised if isinstance(promised, str) else ""  # one of parameters has no word
    row["sizes" if kind.family == "task" else "parameters"] = _signature(kind.family, maker)
    return {**row, "what it is": first_line(maker), "from": kind.origin.removeprefix("built in")}


def _scenarios() -> list[dict[str, str]]:
    """Return the rows of the scenarios, in the order in which to learn from them."""
    from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

    shipped = shipped_scenarios()
    said = {name: _heads(path) for name, path in shipped.items()}
    games = [*kinds("task")]

    def place(name: str) -> tuple[int, int]:
        task = said[name].get("task", "count")
        return (
            TEACHING.index(name) if name in TEACHING else len(TEACHING),
            games.index(task) if task in games else len(games),
        )

    return [{"name": name, "question": str(said[name].get("question", ""))} for name in sorted(said, key=place)]


def _heads(path: Path) -> Mapping[str, object]:
    """Return the keys of a scenario before its claims, and their values as texts.

    PyYAML's compiled reader takes a tenth of the time, and claims are most of a file.
    """
    import yaml

    with suppress(OSError, ValueError, yaml.YAMLError):
        head = path.read_text(encoding="utf-8").partition("\nclaims:")[0]
        data = yaml.load(head, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        if isinstance(data, dict) and "question" in data:
            return data
    from disttrack.simulator.experiments.scenario.document import read

    return read(path).data  # it says what is wrong


def _print(title: str, rows: list[dict[str, str]]) -> None:
    columns = [Column(name, rank=RANKS.get(name, 0)) for name in rows[0]]
    print_table(Table(title, columns, [list(row.values()) for row in rows]))


def _signature(family: Family, maker: Any) -> str:
    """Return the parameters of a kind that not all of its family have, or the sizes of a task's games."""
    if family == "task":
        return ", ".join(size.key for size in maker.sizes)
    common = parameters(import_reference(HOMES["plot"].base)) if family == "plot" else {}
    own = {name: default for name, default in parameters(maker).items() if name not in common}
    own = {name: f"{default:.4g}" if isinstance(default, float) else default for name, default in own.items()}
    return ", ".join(name if default is MISSING else f"{name}={default}" for name, default in own.items())
