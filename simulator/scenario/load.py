"""A scenario: one question, read from a file and checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from disttrack.simulator.claims.claim import ill_typed
from disttrack.simulator.claims.columns import NETWORK, TRIALS
from disttrack.simulator.claims.rehearsal import column_types
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.points.point import Part, Point, PointError, part
from disttrack.simulator.points.source import import_reference, is_reference
from disttrack.simulator.points.swept import differ, swept_columns
from disttrack.simulator.scenario.controls import BrokenPoints, broken_points
from disttrack.simulator.scenario.document import Document, read
from disttrack.simulator.scenario.figures import AxisError, check_plot
from disttrack.simulator.scenario.model import Head, first_fault, keys_of, point_of
from disttrack.simulator.scenario.sweep import Combination, combinations
from disttrack.simulator.tasks.base import Task, called


@dataclass(frozen=True, repr=False)
class Scenario:
    """A checked scenario.

    Attributes
    ----------
    head
        The keys that are fixed: name, question, finding, seed, trials, claims, plots.
    points
        The combinations of the swept keys, numbered in order.
    task
        The game that is played.
    data
        The contents of the file, with overrides applied.
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
    def files(self) -> dict[str, str]:
        """Return the files of the user's that the games are made of, code and data, each with its SHA-256."""
        points = [*self.points, *(point for point, _ in self.broken)]
        parts = {id(one): one for point in points for one in point.parts}
        paths = sorted({file.path for one in parts.values() for file in one.files().values()})
        return {path: sha256(Path(path).read_bytes()).hexdigest() for path in paths if Path(path).is_file()}

    @property
    def own_classes(self) -> dict[str, Any]:
        """Return the users' classes that the scenario names, by reference: its result is drawn with them."""
        sides = (one for point in self.points for one in point.parts)
        return {one.kind: one.maker() for one in (*self.plots, *sides) if is_reference(one.kind)}

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
        document = Document(source.file, source.folder, dict(source.data))
    elif isinstance(source, Mapping):
        document = Document("scenario", Path(), dict(source))
    else:
        path = Path(source)
        if not path.exists() and path.name == str(source) and not path.suffix:
            shipped = shipped_scenarios()
            if path.name not in shipped:
                raise ScenarioError(f"{source}: there is no such file or scenario{nearest(path.name, shipped)}")
            path = shipped[path.name]
        document = read(path, str(source))
    for assignment in overrides:
        document.set(assignment)
    if overrides:
        document.data.pop("finding", None)  # it is the finding of the file as it stands
    return build(document)


def shipped_scenarios() -> dict[str, Path]:
    """Return the scenario files in the current folder's ``scenarios`` and those of the package, by name."""
    packaged = Path(__file__).resolve().parents[2] / "scenarios"  # beside the packages, installed as in a checkout
    paths = [path for folder in (packaged, Path("scenarios")) for path in sorted(folder.glob("*.yaml"))]
    return {path.stem: path for path in paths}


def build(document: Document) -> Scenario:
    """Return the scenario that a document describes; it raises what `load` raises."""
    data = document.data
    fixed = {"name": Path(document.name).stem, **{key: data[key] for key in data if key in Head.model_fields}}
    try:
        head = Head.model_validate(fixed)
    except ValidationError as error:
        raise document.error(*first_fault(error, fixed, Head)) from error
    try:
        played = part("task", "task", {"kind": head.task}, document.folder)
        game = played.make()
    except PointError as error:
        raise document.error(("task",), error.message) from error
    _check_keys(document, game)
    swept = {key: value for key, value in data.items() if key not in fixed}
    swept |= {role: _entries(swept[role]) for role in ("protocol", "adversary") if role in swept}
    try:
        combined = combinations(swept, head.zip)
    except PointError as error:
        raise document.error(error.path, error.message) from error
    points = tuple(_point(document, one, number, played, game) for number, one in enumerate(combined))
    _check_labels(points, document)
    beforehand = [point.known() for point in points]
    before = {name: [one[name] for one in beforehand] for name in beforehand[0]}
    extra = swept_columns(points, game.columns)
    axes = [name for name, values in before.items() if differ(values)]
    head = head.model_copy(update={"plots": _plots_along([*axes, *extra], head, game, document)})
    data = {**data, **({"plots": head.plots} if "plots" in data else {})}
    scenario = Scenario(head, points, game, data, document.name, document.folder, extra)
    columns = column_types(scenario.columns, extra, scenario.called)
    for number, claim in enumerate(head.claims):
        if fault := ill_typed(claim, columns):
            raise document.error(("claims", number, fault[0]), fault[1])
    known = {"point": range(len(points)), **before, **extra}
    known |= {key: known[name] for name, key in called(game.sizes).items() if name in known}
    values = [one.values for one in combined]
    return replace(scenario, controls=broken_points(document, head.claims, points, values, known, game))


def _entries(value: Any) -> Any:
    """Return the protocol or adversary, or several: each may be its kind alone."""
    if isinstance(value, list):
        return [_entries(entry) for entry in value]
    return {"kind": value} if isinstance(value, str) else value


def _point(document: Document, combination: Combination, number: int, played: Part, game: Task) -> Point:
    try:
        return point_of(combination.values, number, played, game, document.folder)
    except PointError as error:
        key, *rest = error.path
        key = called(game.sizes).get(str(key), key)  # the path has the point's fields, the file the task's keys
        raise document.error(combination.place((key, *rest)), error.message) from error


def _check_keys(document: Document, game: Task) -> None:
    """Refuse keys that the task does not have."""
    keys = keys_of(game.sizes)
    names = {"title": "question", **called(game.sizes)}
    for key in document.data:
        if key not in keys:
            advice = f"; did you mean {names[key]!r}?" if key in names else nearest(key, keys)
            raise document.error((key,), f"unknown key{advice} ({accepted(keys)})")


def _check_labels(points: Sequence[Point], document: Document) -> None:
    """Refuse different classes of one name, whose games tables and claims could not tell apart."""
    named: dict[tuple[str, str], Part] = {}
    for point in points:
        for side in (point.protocol, point.adversary):
            first = named.setdefault((side.role, side.label), side)
            if first.kind != side.kind and first.maker() is not side.maker():
                raise document.error(
                    (side.role,),
                    f"{first.kind} and {side.kind} are both called {side.label!r} in tables: give one of the classes "
                    'another `kind = "…"`',
                )


def _plots_along(axes: Sequence[str], head: Head, game: Task, document: Document) -> list[Any]:
    """Return the figures; one along none of the scenario's axes is left out if `--set` has fixed something."""
    plots: list[Any] = []
    for number, request in enumerate(head.plots):
        try:
            check_plot(request, axes, called=called(game.sizes), folder=document.folder)
            plots.append(request)
        except ValueError as error:
            if not (isinstance(error, AxisError) and document.overridden):
                raise document.error(("plots", number), str(error)) from error
    return plots
