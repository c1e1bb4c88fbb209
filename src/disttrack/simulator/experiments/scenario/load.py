"""A scenario: one question, read from a file and checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from disttrack.simulator.displays import display
from disttrack.simulator.errors import MEANT, ScenarioError, explained, must_be, nearest
from disttrack.simulator.experiments.claims.expression_checks import column_types
from disttrack.simulator.experiments.claims.expressions import ExpressionError, column_of, columns_of
from disttrack.simulator.experiments.scenario.checks import (
    Faults,
    check_apart,
    check_claims,
    check_faults,
    check_keys,
    check_labels,
    check_plots,
)
from disttrack.simulator.experiments.scenario.controls import BrokenPoints, broken_points
from disttrack.simulator.experiments.scenario.document import Document, read
from disttrack.simulator.experiments.scenario.model import Head, Plan, faults_of, point_of
from disttrack.simulator.experiments.scenario.parts import Sweep, sweeps_of
from disttrack.simulator.experiments.scenario.settings import Settings, differ, row_of
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.experiments.scenario.sides import with_current_names
from disttrack.simulator.experiments.scenario.skipped import Beforehand, Skipped, stated_trials, why_too_few
from disttrack.simulator.experiments.scenario.sweep import Combination
from disttrack.simulator.game.columns import ENDED, MAX_LAG_ERROR, MAX_REL_ERROR, NETWORK, POINT, TASK, TRIALS
from disttrack.simulator.game.tasks.base import Task, called, fault_of_columns
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import Part, Point, PointError, part
from disttrack.simulator.kinds.registry import ROLES, current_name
from disttrack.simulator.kinds.source import is_reference


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
    extra
        Swept parameters that have no column of their own in the tables, and their values at each point.
    plans
        The seed and the number of trials of each part; of one without a name if there are no parts.
    controls
        The broken points that the controls of claims ask for.
    skipped
        Claims and figures that the points leave without games.
    written
        The trials of each part in the file, where something has been set over it.
    overrides
        What was set over the file, ``key=value`` each.
    """

    head: Head
    points: tuple[Point, ...]
    task: Task
    data: Mapping[str, object]
    file: str
    folder: Path
    extra: Mapping[str, Sequence[object]] = field(default_factory=dict)
    plans: Mapping[str, Plan] = field(default_factory=dict)
    controls: tuple[BrokenPoints, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    written: Mapping[str, int] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name, which names the folder of the results."""
        return self.head.name

    def _repr_html_(self) -> str:
        return str(display("scenario.html")(self))

    def __repr__(self) -> str:
        return f"<scenario {self.name}: {count(len(self.points), 'point')}, {count(self.games, 'game')}>"

    @property
    def games(self) -> int:
        """Return the number of games, those of the controls apart."""
        return sum(trials for _, trials in self.played)

    def plan_of(self, point: Point) -> Plan:
        """Return the seed and the number of trials of a point's part."""
        return self.plans[point.part]

    @property
    def played(self) -> list[tuple[Point, int]]:
        """Return the points, and the number of games at each."""
        return [(point, self.plan_of(point).trials) for point in self.points]

    @property
    def size(self) -> str:
        """Return the number of points and of games at each, in words."""
        trials = sorted({trials for _, trials in self.played})
        each = " to ".join(f"{number:,}" for number in dict.fromkeys((trials[0], trials[-1])))
        return f"{count(len(self.points), 'point')}, {each} trial{'s' * (each != '1')} each"

    def reseeded(self, by: int) -> Scenario:
        """Return the scenario with other seeds: its own, and those of its parts, plus a number."""
        head = self.head.model_copy(update={"seed": self.head.seed + by})
        plans = {name: plan.model_copy(update={"seed": plan.seed + by}) for name, plan in self.plans.items()}
        data = {**self.data, "seed": head.seed}
        if self.head.parts:
            data["parts"] = {name: {**own, "seed": plans[name].seed} for name, own in self.head.parts.items()}
        return replace(self, head=head, plans=plans, data=data)

    @property
    def too_few(self) -> str:
        """Return why claims may have too few games: fewer trials than the file has were set; empty if they were not."""
        return why_too_few({name: plan.trials for name, plan in self.plans.items()}, self.written)

    @property
    def without_games(self) -> dict[int, str]:
        """Return the claims that are skipped, by number, and why."""
        return {one.number: one.why for one in self.skipped if one.what == "claim"}

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
        return [part("plot", {"kind": kind}, self.folder) for kind in kinds]

    @property
    def files(self) -> dict[str, str]:
        """Return the files of the user's that the games are made of, code and data, each with its SHA-256."""
        points = [*self.points, *(point for point, _ in self.broken)]
        parts = {id(one): one for point in points for one in point.parts}
        paths = sorted({file.path for one in parts.values() for file in one.files().values()})
        return {path: sha256(Path(path).read_bytes()).hexdigest() for path in paths if Path(path).is_file()}

    @property
    def own_classes(self) -> dict[str, object]:
        """Return the users' classes that the scenario names, by reference: its result is drawn with them."""
        sides = (one for point in self.points for one in point.parts)
        return {one.kind: one.maker() for one in (*self.plots, *sides) if is_reference(one.kind)}

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of ``trials.csv``."""
        network = NETWORK if any(point.network is not None for point in self.points) else ()
        ended = ENDED if any(point.adversary.own for point in self.points) else ()
        return (*TRIALS, *network, *ended, *self.task.columns, *self.extra)

    @property
    def called(self) -> dict[str, str]:
        """Return the columns of sizes that the task calls something else in scenario files, and what."""
        return {column: key for column, key in called(self.task.sizes).items() if column in self.columns}


@explained()
def load(source: str | Path | Mapping[str, object] | Scenario, overrides: Sequence[str] = ()) -> Scenario:
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
    if isinstance(overrides, str):
        raise ScenarioError(f"overrides must be a list: [{overrides!r}]")
    earlier: tuple[str, ...] = ()
    if isinstance(source, Scenario):
        if not overrides:
            return source
        earlier = source.overrides
        document = Document(source.file, source.folder, dict(source.data))
    elif isinstance(source, Mapping):
        document = Document("scenario", Path(), dict(source))
    elif not isinstance(source, str | Path):
        each = "; one call each" if isinstance(source, list | tuple) else ""
        raise ScenarioError(must_be("a path, a name, or a mapping", source, "scenario") + each)
    else:
        path = Path(source)
        if not path.exists() and path.name == str(source) and not path.suffix:
            shipped = shipped_scenarios()
            if path.name not in shipped:
                near = path.with_suffix(".yaml")
                advice = f"{MEANT}'{near}'?" if near.is_file() else nearest(path.name, shipped)
                advice = advice or " (disttrack list scenarios)"
                raise ScenarioError(f"{source}: no such file or scenario{advice}")
            path = shipped[path.name]
        document = read(path, str(source))
    written = stated_trials(document.data)
    for assignment in overrides:
        document.set(assignment)
    if overrides:
        document.data.pop("finding", None)  # it is the finding of the file as it stands
    return replace(build(document), written=written, overrides=(*earlier, *overrides))


def build(document: Document) -> Scenario:
    """Return the scenario that a document describes; it raises what `load` raises."""
    faults = Faults(document)
    document.data = _with_current_names(document)
    head = _head(faults)
    try:
        played = part(TASK, {"kind": head.task}, document.folder)
        game = played.make()
    except PointError as error:
        faults.add((TASK,), error.message)
        faults.end()
    check_keys(game, faults)
    sweeps = sweeps_of(head, game, faults)
    combined = [(sweep, one) for sweep in sweeps for one in sweep.combinations(game, faults)]
    made = [_point(sweep, one, number, played, game, faults) for number, (sweep, one) in enumerate(combined)]
    points = tuple(point for point in made if point is not None)
    if not points:
        faults.end()
    data = document.data
    check_labels(points, faults)
    beforehand = [point.known() for point in points]
    before = {name: [one[name] for one in beforehand] for name in beforehand[0]}
    rows = [row_of(point) for point in points]
    places = [(sweep, one) for (sweep, one), point in zip(combined, made, strict=True) if point is not None]
    check_apart(points, rows, places, faults)
    check_faults(points, places, faults)
    extra = Settings(game, rows).cells()
    known = {POINT: [point.number for point in points], **before, **extra}
    known |= {key: known[name] for name, key in called(game.sizes).items() if name in known}
    plans = {sweep.name: sweep.plan for sweep in sweeps}
    scenario = Scenario(head, points, game, data, document.name, document.folder, extra, plans)
    if fault := fault_of_columns(game.columns, scenario.columns):
        faults.add((TASK,), f"{played.label}: {fault}")
        faults.end()
    table = {name: column_of(values) for name, values in known.items()}
    games = Beforehand(game, points, table, column_types(scenario.columns, extra, scenario.called))
    skipped = [*check_claims(head.claims, games, faults)]
    axes = [name for name, values in known.items() if name != POINT and differ(values)]
    plots, undrawn = check_plots(head.plots, axes, games, faults)
    faults.end()
    without_games = {one.number for one in skipped}
    claims = {number: claim for number, claim in enumerate(head.claims) if number not in without_games}
    controls, uncontrolled = broken_points(claims, [one.values for _, one in combined], games, faults)
    return replace(
        scenario,
        head=head.model_copy(update={"plots": plots}),
        data={**data, **({"plots": plots} if "plots" in data else {})},
        controls=controls,
        skipped=(*skipped, *uncontrolled, *undrawn),
    )


def _with_current_names(document: Document) -> dict[str, object]:
    """Return the data of a document with the present names of kinds; as it is if its task is wrong."""
    task = document.data.get(TASK, "count")
    if not isinstance(task, str):
        return document.data
    task = current_name(TASK, task)
    try:
        game = part(TASK, {"kind": task}, document.folder).make()
    except PointError:
        return document.data
    data: dict[str, object] = with_current_names(document.data, game.bases)
    return {**data, **({TASK: task} if TASK in data else {})}


def _head(faults: Faults) -> Head:
    """Return the fixed keys; what is wrong with them is left out."""
    document = faults.document
    fixed: dict[str, object] = {"name": Path(document.name).stem}
    fixed |= {key: value for key, value in document.data.items() if key in Head.model_fields}
    try:
        return Head.model_validate(fixed)
    except ValidationError as error:
        wrong = faults_of(error, fixed, Head)
    of_zip = [one for one in wrong if one[0][0] == "zip"]
    for one in wrong:
        if one not in of_zip[1:]:  # of names that are in no list of their own the first one says it
            faults.add(*one)
    if TASK in {path[0] for path, _ in wrong}:
        faults.end()  # which keys there are depends on it
    for key in {path[0] for path, _ in wrong}:
        places = {path[1] for path, _ in wrong if path[0] == key and len(path) > 1}
        value = fixed.pop(str(key))
        if isinstance(value, list) and places:
            faults.kept[str(key)] = [number for number in range(len(value)) if number not in places]
            fixed[str(key)] = [value[number] for number in faults.kept[str(key)]]
    return Head.model_validate({"name": "scenario", **fixed})


def _point(
    sweep: Sweep, combination: Combination, number: int, played: Part, game: Task, faults: Faults
) -> Point | None:
    """Return a point; None if something in it is wrong: both sides are then looked at."""
    folder = faults.document.folder
    try:
        return replace(point_of(combination.values, number, played, game, folder), part=sweep.name)
    except PointError as error:
        errors = [error, *error.more]
    for role in ROLES:
        if isinstance(entry := combination.values.get(role), dict) and "kind" in entry:
            try:
                part(role, entry, folder, game.bases[role]).make(without=("sees",))
            except PointError as other:  # what is not given may come from the sizes
                if {*other.path[1:2]} & {*entry} and all(other.path[:2] != one.path[:2] for one in errors):
                    errors.append(other)
    for one in errors:
        key, *rest = one.path
        key = called(game.sizes).get(str(key), key)  # the path has the point's fields, the file the task's keys
        faults.add(sweep.place(combination.place((key, *rest))), one.message)
    return None


def unjudged(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each claim or figure about the plain error of games on a network, which are judged by another.

    Their plain error is 1 while the first item is on its way, whatever the tracker.
    """
    if not any((point.network or {}).get("latency") for point in scenario.points):
        return
    asked = [(f"claim {one.name!r}", [one.measure, one.margin]) for one in scenario.head.claims]
    asked += [(f"plot {one.get('kind')!r}", [one.get("y")]) for one in scenario.head.plots if isinstance(one, dict)]
    for name, texts in asked:
        with suppress(ExpressionError):
            if any(MAX_REL_ERROR in columns_of(str(text)) for text in texts if text):
                yield f"{name}: {MAX_REL_ERROR} is 1 while the first item travels; take {MAX_LAG_ERROR}"
