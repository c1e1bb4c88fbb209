"""A scenario: one question, as a file says it, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from disttrack.simulator.claims.claim import Claim
from disttrack.simulator.claims.columns import NETWORK, TRIALS
from disttrack.simulator.claims.rehearsal import held
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.points.point import Part, Point, PointError, part
from disttrack.simulator.points.source import import_reference
from disttrack.simulator.points.swept import swept_columns
from disttrack.simulator.scenario.checks import check_claims, check_keys, check_labels, kept_plots, listed_twice
from disttrack.simulator.scenario.controls import BrokenPoints, broken_points
from disttrack.simulator.scenario.document import Document, read
from disttrack.simulator.scenario.mapping import from_mapping
from disttrack.simulator.scenario.model import SWEPT, Head, first_fault
from disttrack.simulator.scenario.point_of import point_of
from disttrack.simulator.scenario.sweep import Combination, SweepError, combinations
from disttrack.simulator.tasks.base import Task
from disttrack.simulator.tasks.sizes import called

MOST_POINTS: Final = 30_000
"""A scenario of more points is taken for a slip: each of them is made once before anything is played."""


@dataclass(frozen=True, repr=False)
class Scenario:
    """A checked scenario.

    Attributes
    ----------
    head
        The keys that are fixed: name, title, seed, trials, claims, plots.
    points
        The combinations of the swept keys, numbered in order.
    task
        The game that is played.
    data
        What the file says, with everything that was set over it.
    file
        The file's name, for messages.
    folder
        The file's folder.
    """

    head: Head
    points: tuple[Point, ...]
    task: Task
    data: Mapping[str, Any]
    file: str
    folder: Path
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Swept parameters that have no column of their own in the tables, and their values at each point."""
    controls: tuple[BrokenPoints, ...] = ()
    """The broken points that the controls of claims ask for."""
    notes: tuple[str, ...] = ()
    """What the user should know of it, a line each: what `--set` has replaced, points that are listed twice."""

    @property
    def name(self) -> str:
        """Return the name, which names the folder of the results."""
        return self.head.name

    def _repr_html_(self) -> str:
        return str(import_reference("disttrack.simulator.notebook.shown:scenario")(self))

    def __repr__(self) -> str:
        return f"<scenario {self.name}: {len(self.points):,} points, {self.games:,} games>"

    @property
    def games(self) -> int:
        """Return the number of games, those of the controls apart."""
        return len(self.points) * self.head.trials

    @property
    def broken(self) -> list[tuple[Point, int]]:
        """Return the points of the controls, and how many games each is to have."""
        return [(point, control.trials) for control in self.controls for point in control.points]

    @property
    def control_games(self) -> int:
        """Return the number of games of the controls."""
        return sum(trials for _, trials in self.broken)

    @property
    def plots(self) -> list[Part]:
        """Return the kinds of the figures that are asked for."""
        kinds = [entry if isinstance(entry, str) else str(entry["kind"]) for entry in self.head.plots]
        return [part("plot", "plot", {"kind": kind}, self.folder) for kind in kinds]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of ``trials.csv``."""
        network = NETWORK if any(point.network is not None for point in self.points) else ()
        return (*TRIALS, *network, *self.task.columns, *self.extra)

    @property
    def called(self) -> dict[str, str]:
        """Return the columns of sizes that the task calls something else in scenario files, and what."""
        return {column: key for column, key in called(self.task.sizes).items() if column in self.columns}


def load(source: str | Path | Mapping[str, Any] | Scenario, overrides: Sequence[str] = ()) -> Scenario:
    """Return a scenario, fully checked.

    Parameters
    ----------
    source
        The path of its file, the bare name of one in the folder ``scenarios``, a mapping with the keys of a file, or a
        scenario. Relative paths in a mapping count from the current folder.
    overrides
        ``key=value`` each, in the order in which they are to be applied.

    Raises
    ------
    ScenarioError
        Anything in it is wrong; one line names file, line, path within it, and what is accepted.
    """
    if isinstance(source, Scenario):
        if not overrides:
            return source
        document = from_mapping(source.data, source.file, source.folder)
    elif isinstance(source, Mapping):
        document = from_mapping(source)
    else:
        document = read(locate(source), str(source))
    for assignment in overrides:
        document.set(assignment)
    return build(document)


def locate(file: str | Path) -> Path:
    """Return the path of a scenario file; a bare name is looked up among the shipped scenarios."""
    path = Path(file)
    if not path.exists() and path.name == str(file) and not path.suffix:
        shipped = shipped_scenarios()
        if path.name in shipped:
            return shipped[path.name]
        raise ScenarioError(f"{file}: there is no such file or scenario{nearest(path.name, shipped)}")
    return path


def shipped_scenarios() -> dict[str, Path]:
    """Return the scenario files in the current folder's ``scenarios`` and those that came with us, by name."""
    came_with = Path(__file__).resolve().parents[2] / "scenarios"  # beside the packages, installed as in a checkout
    paths: dict[str, Path] = {}
    for folder in (Path("scenarios"), came_with):
        for path in sorted(folder.glob("*.yaml")):
            paths.setdefault(path.stem, path)
    return paths


def build(document: Document) -> Scenario:
    """Return the scenario that a document describes; `load` says what it raises."""
    data = document.data
    fixed = {key: value for key, value in data.items() if key in Head.model_fields}
    fixed.setdefault("name", Path(document.name).stem)
    head = _validate(Head, fixed, document)
    try:
        played = part("task", "task", {"kind": head.task}, document.folder)
        game = played.make()
    except PointError as error:
        raise document.error(("task",), error.message) from error
    check_keys(document, head, game)
    combined = _combinations(document, head, game)
    points = tuple(_point(document, one, number, played, game) for number, one in enumerate(combined))
    check_labels(points, document)
    head = head.model_copy(update={"plots": kept_plots(head, points, game, document)})
    data = {**data, **({"plots": head.plots} if "plots" in data else {})}
    extra = swept_columns(points, game.columns)
    notes = (*document.notes, *listed_twice(points))
    scenario = Scenario(head, points, game, data, document.name, document.folder, extra, notes=notes)
    check_claims(head.claims, held(scenario.columns, extra, scenario.called), document)
    return replace(
        scenario, controls=broken_points(document, head.claims, points, [one.values for one in combined], extra, game)
    )


def _combinations(document: Document, head: Head, game: Task) -> list[Combination]:
    """Return the combinations of the swept values."""
    sizes = [size.key for size in game.sizes]
    swept = {key: _entries(document, key) for key in document.data if key in SWEPT or key in sizes}
    for key in ("protocol", "adversary"):
        if key not in swept:
            raise document.error((), f"{key} is missing: {key}: {{kind: …}}")
    _no_empty_list(document, swept, ())
    try:
        points = list(islice(combinations(swept, head.zip), MOST_POINTS + 1))
    except SweepError as error:
        raise document.error(error.path, str(error)) from error
    if len(points) > MOST_POINTS:
        raise document.error((), f"the lists make more than {MOST_POINTS:,} points; shorten them")
    return points


def _point(document: Document, combination: Combination, number: int, played: Part, game: Task) -> Point:
    try:
        return point_of(combination.values, number, played, game, document.folder)
    except PointError as error:
        key, *rest = error.path
        key = called(game.sizes).get(str(key), key)  # a task speaks of the point's fields, the file has its own keys
        raise document.error(_place(combination, (key, *rest)), error.message) from error


def _place(combination: Combination, path: Sequence[str | int]) -> tuple[str | int, ...]:
    """Return where in the file the value at `path` of a point stands, or the nearest thing around it."""
    path = tuple(path)
    for length in range(len(path), 0, -1):
        if path[:length] in combination.places:
            return (*combination.places[path[:length]], *path[length:])
        inside = [place for key, place in combination.places.items() if key[:length] == path[:length]]
        if inside:
            # a mapping has no place of its own: what is asked for stands beside what it holds
            return (*inside[0][:-1], *path[length:])
    return path


def _entries(document: Document, key: str) -> Any:
    """Return a swept value; a protocol or adversary may be its kind alone."""
    value = document.data[key]
    if key not in ("protocol", "adversary"):
        return value
    entries = value if isinstance(value, list) else [value]
    full = []
    for number, entry in enumerate(entries):
        place = (key, number) if isinstance(value, list) else (key,)
        if isinstance(entry, str):
            entry = {"kind": entry}
        if not isinstance(entry, dict):
            raise document.error(place, f"must be {{kind: …}} with its parameters; got {entry!r}")
        if "kind" not in entry:
            raise document.error(place, "kind is missing: a registered name, module:Class, or file.py:Class")
        full.append(entry)
    return full if isinstance(value, list) else full[0]


def _no_empty_list(document: Document, value: Any, place: tuple[str | int, ...]) -> None:
    if value == []:
        raise document.error(place, "an empty list leaves nothing to play")
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        if isinstance(entry, dict | list):
            _no_empty_list(document, entry, (*place, key))


def _validate(model: type[Head], values: dict[str, Any], document: Document) -> Head:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        path, message = first_fault(error)
        if message == "unknown key" and path:
            known = _fields(model, path[:-1])
            message += f"{nearest(str(path[-1]), known)} ({accepted(known)})" if known else ""
        raise document.error(path, message) from error


def _fields(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    return list(Claim.model_fields) if path[:1] == ("claims",) else list(model.model_fields)
