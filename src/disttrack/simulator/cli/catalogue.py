"""``disttrack list``: the kinds by the game that they play, with what they promise or see, and the scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING
from pathlib import Path
from typing import Any, Final

import click

from disttrack.simulator.cli.tables import Column, Table, print_table, print_text
from disttrack.simulator.points.registry import HOMES, ROLES, Family, Kind, kinds, parameters
from disttrack.simulator.points.source import import_reference

SORTS: Final[dict[str, Family | None]] = {home.plural: family for family, home in HOMES.items()} | {"scenarios": None}
"""What can be listed, and the family of its kinds."""
RANKS: Final = {"from": 3, "parameters": 2, "sizes": 1, "sees": 1, "promises": 1}
"""Columns that a narrow terminal leaves out."""
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
@click.argument("what", metavar="[WHAT]", type=click.Choice([*SORTS, *kinds("task")]), required=False)
def list_(what: str | None) -> None:
    """List available kinds, by the game that they play, and scenarios; WHAT may be a task too."""
    if what and what not in SORTS:
        _print_sides(f"Task {what}", list(_of_game((what,), alone=True)))
        return
    if what:
        _print(what.capitalize(), [_row(kind) for kind in kinds(SORTS[what]).values()] if SORTS[what] else _scenarios())
        return
    listed: dict[Kind, None] = {}
    for game, tasks in _games().items():
        mine = [kind for kind in _of_game(tasks) if kind not in listed]
        listed |= dict.fromkeys(mine)
        _print_sides(f"{game} (task {', '.join(tasks)})", mine)
    others = [kind for role in ROLES for kind in kinds(role).values() if kind not in listed]
    _print_sides("Of other games", others)
    _print("Tasks", [_row(kind) for kind in kinds("task").values()])
    _print("Plots", [_row(kind) for kind in kinds("plot").values()])
    _print("Scenarios", _scenarios())
    print_text("disttrack describe NAME says more; disttrack run NAME plays a scenario.")


def _games() -> dict[str, list[str]]:
    """Return the tasks of each game, by its heading."""
    games: dict[str, list[str]] = {}
    for name, kind in kinds("task").items():
        games.setdefault(kind.load().heading, []).append(name)
    return games


def _of_game(tasks: Sequence[str], *, alone: bool = False) -> Iterator[Kind]:
    """Yield the kinds that tasks take: those that answer, then those that ask; `alone` also those of other games."""
    makers = [kinds("task")[task].load() for task in tasks]
    for role in ROLES:
        mine = {
            kind for maker in makers for kind in maker.kinds(role).values() if _plays(kind.load(), role, maker, alone)
        }
        yield from (kind for kind in kinds(role).values() if kind in mine)


def _plays(side: Any, role: str, task: Any, alone: bool) -> bool:
    """Return whether a kind is made for a task; an adversary that gives plans plays many, and belongs to tracking."""
    if role == "protocol" or (alone and side.plays_in(task.kind)):
        return True
    return task.kind in (getattr(side, "plays", ()) or ("count",))


def _row(kind: Kind) -> dict[str, str]:
    """Return the row of a kind."""
    from disttrack.simulator.points.facts import first_line

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
    from disttrack.simulator.scenario.shipped import shipped_scenarios

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


def _heads(path: Path) -> Mapping[str, Any]:
    """Return the keys of a scenario before its claims, and their values as texts.

    PyYAML's compiled reader takes a tenth of the time, and claims are most of a file.
    """
    import yaml

    with suppress(OSError, ValueError, yaml.YAMLError):
        head = path.read_text(encoding="utf-8").partition("\nclaims:")[0]
        data = yaml.load(head, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        if isinstance(data, dict) and "question" in data:
            return data
    from disttrack.simulator.scenario.document import read

    return read(path).data  # it says what is wrong


def _print_sides(game: str, mine: Sequence[Kind]) -> None:
    """Print the kinds of a game: those that answer, then those that ask, each under a heading."""
    for role in ROLES:
        if rows := [_row(kind) for kind in mine if kind.family == role]:
            _print(f"{game}: {HOMES[role].plural}", rows)


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
