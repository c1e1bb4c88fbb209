"""Options that several commands share, and classes and points described on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.errors import ScenarioError, ScenarioErrors, accepted, must_be, printable, refusing
from disttrack.simulator.experiments.results.files import check_output, write_text
from disttrack.simulator.game.columns import ADVERSARY, PROTOCOL, TASK
from disttrack.simulator.kinds.entries import entry_of, value_of
from disttrack.simulator.shown.terminal.tables import alone_on_stdout, print_text

if TYPE_CHECKING:
    from disttrack.simulator.game.network.deployed import FaultList
    from disttrack.simulator.game.tasks.fault_lists import Suffering
    from disttrack.simulator.kinds.point import Point
    from disttrack.simulator.kinds.registry import Family

FILE: Final = click.Path(dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)
"""Types of options that name an output."""


class _Output(click.Path):
    """An option that names a file to write: a new one, or one that the same command wrote."""

    def __init__(self, *marks: bytes) -> None:
        super().__init__(dir_okay=False, path_type=Path)
        self.marks = marks

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(str(super().convert(value, param, ctx)))
        check_output(path, *self.marks)
        return path


WRITTEN: Final = "# Written by disttrack"
"""Beginning of a scenario that a command writes."""
SCENARIO_FILE: Final = _Output(WRITTEN.encode())
RECORD_FILE: Final = _Output(b'{"format": "disttrack game"')
PAGE_FILE: Final = _Output(b">Replay of a game</", b">disttrack replay</")
"""Types of options that name a scenario, a recorded game, and a page or drawing to write."""
SET: Final = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Set a key: sites=64, protocol.0.alpha=0.1."
)
JSON: Final = click.option("--json", "as_json", is_flag=True, callback=alone_on_stdout, help="Print one JSON document.")
WORKERS: Final = click.option(
    "--workers", type=click.IntRange(min=1), help="Worker processes.  [default: one per core]"
)
SEED: Final = click.option("--seed", type=click.IntRange(min=0), default=0, help="Root of all randomness.")
WITH: Final = click.option(
    "--with",
    "own",
    multiple=True,
    metavar="FILE.py:CLASS",
    callback=lambda ctx, param, kinds: {kind: class_of(kind, "plot") for kind in kinds},
    help="A class of yours in the result.",
)
SCREEN: Final = "screen"
STYLE: Final = click.option(
    "--style", type=click.Choice([SCREEN, "paper"]), default=SCREEN, help="paper: for print, PDF too."
)


def look_options(command: Callable[..., object]) -> Callable[..., object]:
    """Give a command the keys that all of its figures have."""
    for name, metavar, says in (
        ("--font", "NAME", "An installed font."),
        ("--size", "WxH", "Inches: 3.3x2.4."),
        ("--scale", "AXES", "Scales: x=linear,y=log."),
    ):
        command = click.option(name, metavar=metavar, default="", help=says)(command)
    return STYLE(command)


GAME_TIMEOUT: Final = partial(
    click.option, "--game-timeout", type=float, metavar="SECONDS", help="End a longer game, as an error."
)
"""The option; a command gives its default."""
_SITES: Final = partial(click.option, "--sites", help="Number of sites.")
SITES: Final = _SITES(type=click.IntRange(min=1), default=64)
ITEMS: Final = partial(click.option, "--items", metavar="N", help="Number of items, as 1e6.")
ALPHA: Final = partial(click.option, "--alpha", type=float, help="Accuracy of the protocol.")
"""Options; a command gives their defaults."""
LEAST_STEP: Final = 1e-6
"""Seconds of the shortest step of --faults."""
SIZES: Final = {"sites": 64, "items": 100_000}
"""Sizes of a game whose command does not say them."""
DEFAULT_ADVERSARY: Final = "round-robin"


def debugging() -> bool:
    """Return whether tracebacks are shown: whether the command was called with --debug."""
    return bool(click.get_current_context().find_root().obj)


def faults_options(command: Callable[..., object]) -> Callable[..., object]:
    """Give a command a list of faults, and the length of a step."""
    given = click.Path(exists=True, dir_okay=False, path_type=Path)
    faults = click.option("--faults", type=given, help="A list of faults.")
    step = click.option("--step", type=float, default=0.01, help="Seconds of a step, for --faults.")
    return faults(step(command))


def read_faults(path: Path) -> FaultList:
    """Return the list of faults in a file; ScenarioError, with the line, if it has another form."""
    from disttrack.simulator.game.network.deployed import read

    with refusing(f"--faults {path}", OSError, ValueError):
        return read(path.read_text(encoding="utf-8"))


def suffering(point: Point, faults: FaultList, path: Path, step: float) -> Suffering:
    """Return a point with the faults of a list, which is in this file, and print those that its games cannot have."""
    from disttrack.simulator.game.tasks.fault_lists import with_faults

    if not LEAST_STEP <= step <= 1 / LEAST_STEP:
        raise ScenarioError(must_be(f"{LEAST_STEP:g} to {1 / LEAST_STEP:g} seconds", step, "--step"))
    with refusing(f"--faults {path}", ValueError, ScenarioError):
        done = with_faults(point, faults, step)
    if done.left_out:
        print_text("; ".join(f"{fault} ({reason})" for fault, reason in done.left_out), "the game cannot have: ", "  ")
    return done


def side_option(side: str, **settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option of a protocol or an adversary."""
    settings = {"help": f"Kind and parameters of the {side}.", **settings}
    return click.option(f"--{side}", metavar="KIND", shell_complete=completion.kinds_of(side), **settings)


def game_options(command: Callable[..., object], *, needed: bool = True) -> Callable[..., object]:
    """Give a command the options of a game; `needed` says whether it always takes a protocol."""
    sites, items = (f"{size}" for size in SIZES.values())
    # in the help, the last one comes first
    for option in (
        SET,
        SEED,
        ALPHA(show_default="its own, or 0.1"),
        ITEMS(show_default=items),
        _SITES(type=int, show_default=sites),
        side_option(PROTOCOL, required=needed),
    ):
        command = option(command)
    return command


def set_by(overrides: Sequence[str]) -> dict[str, str]:
    """Return the keys that --set gives, with their values."""
    return dict(one.partition("=")[::2] for one in overrides)


def refuse_twice(given: Iterable[str], elsewhere: Collection[str]) -> None:
    """Raise ScenarioError for an option whose value is given elsewhere too."""
    for name in given:
        if name in elsewhere:
            raise ScenarioError(f"--{name}: given twice; leave one out")


def _check_set(set_here: Mapping[str, str], sides: Mapping[str, Mapping[str, Any]], given: Iterable[str]) -> None:
    """Raise ScenarioError for a key of --set that one game does not have, or that is given elsewhere too."""
    from disttrack.simulator.experiments.scenario.model import Head

    for key in set_here:
        if key.partition(".")[0] in Head.model_fields.keys() - {TASK}:
            raise ScenarioError(f"--set {key}: one game has none{'; write --seed' * (key == 'seed')}")
    refuse_twice([*given, *sides], set_here)
    for side, entry in sides.items():
        refuse_twice([side] * any(f"{side}.{key}" in set_here for key in entry), sides)


def point_of(
    protocol: str,
    adversary: str | None,
    alpha: float | None,
    overrides: Sequence[str],
    task: str | None = None,
    **sizes: object,
) -> Point:
    """Return the point that the options describe, read like a file, checked for memory and time.

    Without a task it is the one that the protocol is made for; sizes that are None are `SIZES` where that has them.
    """
    from disttrack.simulator.experiments.runs.estimate import estimate
    from disttrack.simulator.experiments.scenario.load import load
    from disttrack.simulator.game.tasks.base import Task
    from disttrack.simulator.kinds.registry import game_of, parameters

    entry = entry_of(protocol)
    maker = class_of(entry["kind"], PROTOCOL)
    set_here = set_by(overrides)
    asked = [TASK] * (task is not None)
    task = set_here.get(TASK) or task or game_of(maker) or "count"
    game = class_of(task, TASK)
    if adversary is None and game.bases[ADVERSARY] != Task.bases[ADVERSARY]:
        raise ScenarioError(f"--adversary: task {task} needs one ({accepted(game.kinds(ADVERSARY))})")
    given = {key: value for key, value in sizes.items() if value is not None}
    sides = {PROTOCOL: entry} | ({} if adversary is None else {ADVERSARY: entry_of(adversary)})
    _check_set(set_here, sides, [*given, *asked])
    named = "alpha" in {*entry, *(key.removeprefix("protocol.") for key in set_here)}
    refuse_twice(["alpha"] * (alpha is not None and named), ["alpha"])
    if alpha is None and parameters(maker).get("alpha") is MISSING:
        alpha = 0.1
    if alpha is not None and not named:
        entry["alpha"] = alpha  # refused, with what is accepted, if the protocol takes none
    data: dict[str, Any] = {"name": "play", TASK: task, PROTOCOL: entry}
    data |= {ADVERSARY: entry_of(DEFAULT_ADVERSARY if adversary is None else adversary)}
    usual = {size.key: SIZES[size.key] for size in game.sizes if size.key in SIZES}
    data |= {key: value_of(str(value)) for key, value in {**usual, **given}.items()}
    for size in game.sizes:
        if size.needed and size.key not in {**data, **set_here}:
            raise ScenarioError(f"{size.key}: is missing: {size.says.removesuffix('.')}; give --set {size.key}=N")
    try:
        scenario = load(data, overrides)
    except ScenarioError as error:  # there is no scenario here
        said = [ScenarioError(str(one).removeprefix("scenario: ")) for one in getattr(error, "errors", [error])]
        raise (said[0] if len(said) == 1 else ScenarioErrors(said)) from error
    if len(scenario.points) > 1:
        several = "; several sites are a text: 0-3,5" * ("network" in set_here)
        raise ScenarioError(f"--set: one game has no lists{several}")
    work = estimate(scenario, workers=1)
    work.refuse_too_large()
    work.refuse_too_long(inf if work.unbounded else 1, "take a smaller game")
    return scenario.points[0]


def class_of(kind: str, *families: Family) -> Any:
    """Return the class or function of a kind of these families, or of one in a module or file of the user's."""
    from disttrack.simulator.kinds.point import family_named
    from disttrack.simulator.kinds.registry import find
    from disttrack.simulator.kinds.source import source_of

    return find(family_named(kind, families), kind, source_of(kind, Path.cwd()), Path.cwd())


OUT: Final = click.option("--out", type=SCENARIO_FILE, help="Write a scenario that verifies it.")


def verify(scenario: str, out: Path | None) -> None:
    """Print the scenario that verifies an answer, or write it into a file."""
    if out is None:
        click.echo(f"\nTo verify (--out FILE):\n\n{scenario}", nl=False)
        return
    write_text(out, f"{WRITTEN} advise.\n{scenario}")
    # a name with a dash is no option
    print_command("run", f"./{out}" if str(out).startswith("-") else str(out))


def print_command(*words: str) -> None:
    """Print the command that verifies an answer, on one line that a shell takes as it is."""
    click.echo(f"{'verify:':<15}{printable(shlex.join(['disttrack', *words]))}")
