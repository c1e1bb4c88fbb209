"""The parameters of the points of results: in which of them points differ, and which they share.

The settings in a table of answers, the matching of the points of several results, and the line below the title of a
figure come from here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.points.point import LISTED, canonical
from disttrack.simulator.points.swept import LEFT_OUT, flat
from disttrack.simulator.results.formats import name_of, span, with_name
from disttrack.simulator.results.labels import SIDES, label_of, unusual_of

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.results.read import Tables
    from disttrack.simulator.tasks.base import Task

PRIVACY: Final = LISTED[1:]
"""Parameters on which a promise depends: they are stated also where they have their defaults."""
UNSET: Final = "none"
"""A parameter that a kind has, and that is not set."""
TAKEN: Final = ("task", *SIDES, "results", "result", "measure")
"""Names that a parameter of a side does not have to itself: they are preceded by the side."""

ENGINE: Final = ("", "engine")
"""The parameter that says how games are computed."""

Name = tuple[str, str]
"""The owner of a parameter (protocol, adversary, network; empty for task, kinds, sizes and accuracy), and its name."""
Played = tuple[Mapping[str, Any], Mapping[Any, Any]]
"""A point as the manifest has it, and the row of its first game in trials.csv."""


@dataclass(frozen=True)
class Parameter:
    """One parameter at each point.

    Attributes
    ----------
    side, name
        As in `Name`.
    header
        Its name in a table.
    says
        Its meaning.
    values
        Its value at each point; None where a point has none, `UNSET` where it has one that is not set.
    kinds
        The kind of its side at each point; empty if it is of neither side.
    unusual
        Of a side, at each point its parameters that differ from the defaults, in words; empty for others.
    in_label
        Whether the name of its side states it, at each point.
    stated
        Whether readers see it where all points share it.
    """

    side: str
    name: str
    header: str
    says: str
    values: tuple[Any, ...]
    kinds: tuple[str, ...]
    unusual: tuple[Mapping[str, str], ...]
    in_label: tuple[bool, ...]
    stated: bool = True

    @property
    def sets_apart(self) -> bool:
        """Whether points of one kind differ in it, or some of them lack it."""
        pairs = {(kind, canonical(value)) for kind, value in zip(self.kinds, self.values, strict=True)}
        return len(pairs) > len(set(self.kinds))

    def named(self, beside: Collection[str] = ()) -> list[Any]:
        """Return its value at each point; of a side its name, without the parameters that are shown beside it."""
        if not self.unusual:
            return list(self.values)
        left = [[text for name, text in more.items() if name not in beside] for more in self.unusual]
        return [label_of(str(kind), texts) for kind, texts in zip(self.values, left, strict=True)]

    @property
    def in_labels(self) -> bool:
        """Whether the names of its side state each difference in it."""
        points = zip(self.kinds, self.values, self.in_label, strict=True)
        left = {(kind, canonical(value)) for kind, value, named in points if not named}
        return any(self.in_label) and len(left) == len({kind for kind, _ in left})

    @property
    def shown(self) -> list[Any]:
        """Return the value at each point as tables show it: None also where a kind never has it set."""
        pairs = list(zip(self.kinds, self.values, strict=True))
        kinds = {kind for kind, value in pairs if value not in (None, UNSET)}
        return [value if kind in kinds else None for kind, value in pairs]

    @property
    def varies(self) -> bool:
        """Whether points differ in it; points without it are not counted."""
        return (
            len({canonical(value) for value in (self.named() if self.unusual else self.shown) if value is not None}) > 1
        )

    @property
    def given(self) -> Any:
        """Return its value at the first point that has it."""
        return next(value for value in self.shown if value is not None)

    def words(self, named: Collection[str] = ()) -> str:
        """Return name and value: `16 sites`, `α 0.05`, `delta 0.05 (robust)`; empty if no point has it.

        Parameters
        ----------
        named
            The sides whose names stand beside it. A parameter of which they state what differs from the default is left
            out.
        """
        if self.side in named and any(self.in_label):
            return ""
        kinds: dict[str, dict[str, None]] = {}
        for kind, value in zip(self.kinds, self.shown, strict=True):
            if value is not None:
                kinds.setdefault(with_name(self.header, value), {})[kind] = None
        everywhere = len(kinds) == 1 and all(len(those) == len(set(self.kinds)) for those in kinds.values())
        return ", ".join(text if everywhere else f"{text} ({', '.join(those)})" for text, those in kinds.items())


def parameters_of(
    task: type[Task], scenarios: Iterable[Mapping[str, Any]], played: Sequence[Played], own: Mapping[str, Any]
) -> list[Parameter]:
    """Return all parameters of points, in the order of tables.

    Parameters
    ----------
    task
        The kind of game: it names the sizes, and the sides that have no effect.
    scenarios
        Those of the points: parameters that they give are stated.
    own
        The users' classes that the results were made with.
    """
    beyond = {side: [unusual_of(task, side, point, own) for point, _ in played] for side in SIDES}
    if len({str(game["adversary"]) for _, game in played}) == 1:  # what one adversary always has is listed once, above
        beyond["adversary"] = _differences(beyond["adversary"])
    each = [_values(task, *one) for one in played]
    if len({values.get(ENGINE) for values in each}) == 1:  # stated where it is swept only
        each = [{name: value for name, value in values.items() if name != ENGINE} for values in each]
    names = sorted(dict.fromkeys(name for values in each for name in values), key=_place)
    given = {(side, name) for scenario in scenarios for side in SIDES for name in _given(scenario, side)}
    stated = [(of, name) for of, name in names if name != "task" and (not of or name in PRIVACY or (of, name) in given)]
    says = {("", size.key): size.says for size in task.sizes} | {
        ("", "alpha"): "relative error that is promised",
        ("", "part"): "part of the scenario",
        ENGINE: "engine that was asked for",
    }
    parameters = []
    for of, name in names:
        others = stated if (of, name) in stated else names
        ambiguous = name in TAKEN or any((other, name) in others for other in ("", "network", *SIDES) if other != of)
        header = (f"{of} {name}" if of and ambiguous else name).replace("_", " ")
        meaning = says.get((of, name), f"parameter of the {of}" if of else f"kind of the {name}")
        default = LEFT_OUT.get(name) if of == "network" else None
        values = tuple(one.get((of, name), default) for one in each)
        kinds = tuple(str(one["", of]) if of in SIDES else "" for one in each)
        shown = any(value != default for value in values) if of == "network" else (of, name) in stated
        more = () if of else tuple(beyond.get(name, ()))
        in_label = tuple(of in SIDES and name in beyond[of][place] for place in range(len(each)))
        parameters.append(Parameter(of, name, header, meaning, values, kinds, more, in_label, shown))
    return parameters


def _differences(each: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return what not all of them have alike."""
    return [{key: text for key, text in one.items() if any(other.get(key) != text for other in each)} for one in each]


def _place(name: Name) -> tuple[int, int]:
    """Return the place of a parameter in order: sizes and accuracy, network, privacy, others of the sides."""
    return ["", "network", *SIDES].index(name[0]), [*PRIVACY, name[1]].index(name[1]) if name[0] else 0


def _values(task: type[Task], point: Mapping[str, Any], game: Mapping[Any, Any]) -> dict[Name, Any]:
    """Return all parameters of a point that was played."""
    sides = [side for side in SIDES if side not in task.idle]
    values = {("", "part"): game.get("part"), **{("", name): game[name] for name in ("task", *sides)}}
    for size in task.sizes:  # a size that the scenario leaves out is that of the game
        given = point.get(size.column)
        values["", size.key] = game.get(size.key, game.get(size.column)) if given is None else given
    values["", "alpha"] = game.get("alpha")
    values[ENGINE] = point.get("engine_asked")
    # no accuracy, and a start of 0, are no parameters
    values = {name: value for name, value in values.items() if value and value == value}
    values |= {("network", name): value for name, value in flat(point.get("network") or {}).items()}
    for side in sides:
        own = {name: value for name, value in (point.get(side) or {}).items() if (side, name) != ("protocol", "alpha")}
        values |= {(side, name): UNSET if value is None else value for name, value in own.items() if name != "kind"}
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    """Return a value so that equal ones are written alike: 2.0 as 2."""

    def whole(text: str) -> float:
        return int(number) if (number := float(text)).is_integer() else number

    return json.loads(canonical(value), parse_float=whole)


def _given(scenario: Mapping[str, Any], side: str) -> Iterator[str]:
    """Yield the names of the parameters of a side that a scenario gives, or a part of it."""
    for one in (scenario, *(scenario.get("parts") or {}).values()):
        entries = one.get(side)
        for entry in entries if isinstance(entries, list) else [entries]:
            yield from (name for name in entry if name != "sees") if isinstance(entry, Mapping) else ()


def played(trials: pd.DataFrame, points: Mapping[int, Mapping[str, Any]]) -> list[Played]:
    """Return each point that was played, in the order of their numbers."""
    first = trials.drop_duplicates("point").sort_values("point")
    return [(points.get(int(game["point"]), {}), game) for game in first.to_dict("records")]


def games_per_point(points: pd.DataFrame | pd.Series[Any]) -> str:
    """Return the number of games of each point in words; `points` names the point of each game."""
    games = points.value_counts()
    least, most = int(games.min()), int(games.max())
    number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{number} game{'s' * (most > 1)} per point"


def fixed(tables: Tables, x: str = "") -> str:
    """Return the parameters that all games share, for the line under a figure's title, and those that move with `x`.

    Parameters
    ----------
    x
        The axis of the figure, as a column of the games; empty for none.
    """
    games = [each for name, mine in tables.trials.groupby("result") for each in played(mine, tables.points[str(name)])]
    here = set(tables.trials.get("part", ()))
    scenarios = [
        {**one, "parts": {name: own for name, own in (one.get("parts") or {}).items() if name in here}}
        for one in tables.scenarios.values()
    ]
    # names of adversaries contain their parameters, and protocols are named beside the lines
    shared = [
        one.words(SIDES)
        for one in parameters_of(tables.task, scenarios, games, tables.own)
        if one.stated and not one.sets_apart and one.side != "adversary" and one.name != "protocol"
    ]
    return " · ".join(
        [*filter(None, shared), *_moving(tables.trials, x), games_per_point(tables.trials[["result", "point"]])]
    )


def _moving(trials: pd.DataFrame, x: str) -> Iterator[str]:
    """Yield the parameters that vary, but have one value at each place of the axis, with their ranges."""
    from disttrack.simulator.results.lines import swept_axes

    moving = []
    for axis in swept_axes(trials) if x in trials else ():
        if name_of(axis) == name_of(x) or (trials.groupby([x, "protocol", "result"])[axis].nunique() > 1).any():
            continue
        if (trials.groupby(["protocol", "result"])[axis].nunique() > 1).any():
            values = trials[axis].dropna().tolist()
            numbers = all(isinstance(value, int | float) for value in values)
            moving.append(f"{name_of(axis)} {span(values)}" if numbers else name_of(axis))
    if moving:
        yield f"moving with {name_of(x)}: {', '.join(moving)}"
