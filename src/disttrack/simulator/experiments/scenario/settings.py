"""The table of settings: a row per point, a column per parameter, with their names.

In what points differ, and what it is called: the columns of trials.csv, tables of answers, figures, comparisons and
claims read it here. It is made with the points of a scenario; the rows are stored in the manifest of a result, and the
same function makes the columns from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, Final

from disttrack.simulator.game.columns import ADVERSARY, PART, POINT, PROTOCOL, RESULT, TASK, TRIALS, Scalar
from disttrack.simulator.kinds.names import in_words, label_of, setting, with_name
from disttrack.simulator.kinds.point import LISTED, Point, canonical, unusual

SIDES: Final = (PROTOCOL, ADVERSARY)
OF_NETWORK: Final = "network"
"""The owner of the parameters of a network."""
OWNERS: Final = ("", OF_NETWORK, *SIDES)
"""Owners of parameters in the order of tables; that of task, kinds, sizes and accuracy is empty."""
PRIVACY: Final = LISTED[1:]
"""Parameters on which a promise depends: they are stated also where they have their defaults."""
UNSET: Final = "none"
"""A parameter that a kind has, and that is not set."""
TAKEN: Final = (TASK, *SIDES, "results", RESULT, "measure")
"""Names that a parameter of a side does not have to itself: they are preceded by the side."""
ENGINE: Final = ("", "engine")
"""The parameter that says how games are computed."""
LEFT_OUT: Final[dict[str, Scalar]] = {
    "latency": 0,
    "loss": 0,
    "duplication": 0,
    "reordering": 0,
    "crash_rate": 0,
    "link": "bare",
    "faults": "",
}
"""What parameters of a network are where they are left out, so far as figures show them."""

Row = Mapping[str, Any]
"""A point as `row_of` returns it."""
Name = tuple[str, str]
"""The owner of a parameter, and its name."""


def row_of(point: Point) -> dict[str, Any]:
    """Return the row of a point: sizes, network, both sides with every parameter, and how the sides are called."""
    sides = (point.protocol, point.adversary)
    return {
        POINT: point.number,
        **{side.role: {"kind": side.kind, **side.given()} for side in sides},
        **{name: getattr(point, name) for name in ("sites", "items", "start", "network", PART)},
        "engine_asked": point.engine,
        TASK: point.task.label,
        "called": {side.role: side.label for side in sides},
        "unusual": {side.role: in_words(unusual(side.maker(), side.given())) for side in sides},
    }


PROMISED: Final = ("epsilon", "delta")
"""Parameters whose fixed value in a kind is stated even if another kind has several."""


@dataclass(frozen=True)
class Setting:
    """One column: a parameter at each point.

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
        """Whether points differ in it; points without it are not counted, but for a parameter of networks."""
        values = self.named() if self.unusual else self.shown
        return differ(value for value in values if value is not None or self.side == OF_NETWORK)

    @property
    def given(self) -> Any:
        """Return its value at the first point that has it."""
        return next(value for value in self.shown if value is not None)

    def words(self, named: Collection[str] = ()) -> str:
        """Return name and value: `sites=16`, `α=0.05`, `delta=0.05 (robust)`; empty if no point has it.

        Kinds whose points differ in it are left out; points without it are not counted, but for a parameter of
        networks: one that some points lack is not shared.

        Parameters
        ----------
        named
            The sides whose names stand beside it. A parameter of which they state what differs from the default is left
            out; for epsilon and delta, only the kinds whose names state it are.
        """
        if self.side in named and any(self.in_label) and self.name not in PROMISED:
            return ""
        if self.side == OF_NETWORK and None in self.shown:
            return ""
        name = self.header if self.header.startswith(f"{self.side} ") else self.name
        values: dict[str, set[str]] = {}
        named_kinds = set()
        for kind, value, in_label in zip(self.kinds, self.shown, self.in_label, strict=True):
            if value is not None:
                values.setdefault(kind, set()).add(with_name(name, value))
            if in_label and self.side in named:
                named_kinds.add(kind)
        kinds: dict[str, list[str]] = {}
        for kind, texts in values.items():
            if len(texts) == 1 and kind not in named_kinds:
                kinds.setdefault(texts.pop(), []).append(kind)
        everywhere = len(kinds) == 1 and all(len(those) == len(set(self.kinds)) for those in kinds.values())
        return ", ".join(text if everywhere else f"{text} ({', '.join(those)})" for text, those in kinds.items())


@dataclass(frozen=True)
class Settings:
    """The table of points of one task, of one or more results.

    Parameters
    ----------
    task
        The kind of game: it names the sizes, and the sides that have no effect.
    rows
        The points.
    scenarios
        Those of the points: parameters that they give are stated.
    """

    task: Any
    rows: Sequence[Row]
    scenarios: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def columns(self) -> list[Setting]:
        """Return all parameters, in the order of tables."""
        every = sorted(self._names, key=_place)
        defaults = self.task.defaults
        given = {(side, name) for one in self.scenarios for side in SIDES for name in _given(one, side, defaults)}
        stated = [one for one in every if one != ("", TASK) and (not one[0] or one[1] in PRIVACY or one in given)]
        return [self._setting(name, stated if name in stated else every, name in stated) for name in every]

    @cached_property
    def swept(self) -> dict[str, Setting]:
        """Return the parameters that are columns of ``trials.csv`` and axes of figures, by the names of these.

        A parameter is swept if two points of one kind differ in it. The column has the parameter's name; where one of
        the other side has it too, or it is taken, the side precedes it.
        """
        known = {(one.side, one.name): one for one in self.columns}
        columns = {name: one for (_, name), one in known.items() if name == PART and not one.side}
        for size in self.task.sizes:
            if size.column == "start" and (start := known.get(("", size.key))) and start.sets_apart:
                columns["start"] = start
        if ENGINE in known and known[ENGINE].sets_apart:
            columns["engine_asked"] = known[ENGINE]
        apart = [name for name in self._names if name[0] == OF_NETWORK and known[name].sets_apart] + self._differing
        for of, name in sorted(apart, key=lambda one: OWNERS.index(one[0])):
            others = {other for side, other in apart if side in SIDES and side != of}
            taken = {*self.task.columns, *({*TRIALS, *columns, *others} if of in SIDES else ())}
            columns[f"{of}_{name}" if name in taken else name] = known[of, name]
        return columns

    def cells(self) -> dict[str, list[Scalar]]:
        """Return the columns `swept` of ``trials.csv``: kinds without a parameter leave it empty.

        Examples
        --------
        >>> from disttrack.simulator.kinds.point import Part
        >>> from disttrack.simulator.game.tasks.tracking import Count
        >>> freeze, count = Part("adversary", "freeze"), Part("task", "count")
        >>> sides = [Part("protocol", "deterministic", {"alpha": 0.1, "centred": centred}) for centred in (True, False)]
        >>> Settings(Count, [row_of(Point(0, count, side, freeze)) for side in sides]).cells()
        {'centred': [True, False]}
        """
        return {column: [_cell(row, one, column) for row in self.rows] for column, one in self.swept.items()}

    @cached_property
    def _values(self) -> list[dict[Name, Any]]:
        """Return all parameters of each point; the engine is one where it is swept only, a start where one is not 0."""
        each = [_values(self.task, row) for row in self.rows]
        left_out = {ENGINE} if len({values.get(ENGINE) for values in each}) == 1 else set()
        if not any(row.get("start") for row in self.rows):
            left_out |= {("", size.key) for size in self.task.sizes if size.column == "start"}
        return [{name: value for name, value in values.items() if name not in left_out} for values in each]

    @cached_property
    def _names(self) -> list[Name]:
        return list(dict.fromkeys(name for values in self._values for name in values))

    @cached_property
    def _differing(self) -> list[Name]:
        """Return the parameters of sides in which two points of one kind differ, in the order in which they appear."""
        seen: dict[tuple[str, Name], set[str]] = {}
        for row, values in zip(self.rows, self._values, strict=True):
            for (of, name), value in values.items():
                if of in SIDES:
                    seen.setdefault((row["called"][of], (of, name)), set()).add(canonical(value))
        return list(dict.fromkeys(name for (_, name), each in seen.items() if len(each) > 1))

    @cached_property
    def _unusual(self) -> dict[str, list[Mapping[str, str]]]:
        """Return what the names of each side state at each point; what one adversary always has is listed once."""
        each = {side: [row["unusual"].get(side, {}) for row in self.rows] for side in SIDES}
        if len({row["called"][ADVERSARY] for row in self.rows}) == 1:
            each[ADVERSARY] = _differences(each[ADVERSARY])
        return each

    def _setting(self, of_name: Name, others: Collection[Name], stated: bool) -> Setting:
        """Return a column; its header names the side where one of the others has the same name."""
        of, name = of_name
        ambiguous = name in TAKEN or any((other, name) in others for other in OWNERS if other != of)
        default = LEFT_OUT.get(name) if of == OF_NETWORK else None
        values = tuple(one.get(of_name, default) for one in self._values)
        return Setting(
            side=of,
            name=name,
            header=(f"{of} {name}" if of and ambiguous else name).replace("_", " "),
            says=self._says.get(of_name, f"parameter of the {of}" if of else f"kind of the {name}"),
            values=values,
            kinds=tuple(str(row["called"][of]) if of in SIDES else "" for row in self.rows),
            unusual=() if of else tuple(self._unusual.get(name, ())),
            in_label=tuple(of in SIDES and name in self._unusual[of][place] for place in range(len(values))),
            stated=any(value != default for value in values) if of == OF_NETWORK else stated,
        )

    @property
    def _says(self) -> dict[Name, str]:
        """Return the meanings of the parameters that are of neither side."""
        return {("", size.key): size.says for size in self.task.sizes} | {
            ("", "alpha"): "promised relative error",
            ("", PART): "part of the scenario",
            ENGINE: "engine asked for",
        }


def differ(values: Iterable[object]) -> bool:
    """Return whether not all values are equal."""
    return len({canonical(value) for value in values}) > 1


def flat(network: Mapping[str, object]) -> dict[str, Scalar]:
    """Return the parameters of a network by names of their own: ``latency``, ``crash_rate``.

    >>> flat({"latency": {"exponential": 5}, "crash": {"rate": 0.1, "down": 3}})
    {'latency': 'exponential(5)', 'crash_rate': 0.1, 'crash_down': 3}
    """
    columns: dict[str, Scalar] = {}
    for key, value in network.items():
        if not isinstance(value, Mapping):
            columns[key] = _scalar(value)
        elif key == "link":
            columns |= {key: "reliable", **{f"{key}_{name}": inner for name, inner in flat(value).items()}}
        elif key.startswith("latency") and (text := _distribution(value)):
            columns[key] = text
        else:
            columns |= {f"{key}_{name}": inner for name, inner in flat(value).items()}
    return columns


def _distribution(value: Mapping[str, object]) -> str:
    """Return ``{"exponential": 5}`` as ``exponential(5)``; nothing if it has another form, as by others."""
    name, inner = next(iter(value.items()), ("", {}))
    numbers = list(inner.values() if isinstance(inner, Mapping) else (inner,))
    if len(value) != 1 or not all(isinstance(number, int | float) for number in numbers):
        return ""
    return f"{name}({', '.join(f'{float(number):g}' for number in numbers)})"


def _scalar(value: object) -> Scalar:
    return value if isinstance(value, str | int | float | bool | None) else canonical(value)


def _cell(row: Row, one: Setting, column: str) -> Scalar:
    """Return the value of a point in ``trials.csv``, as the scenario has it."""
    if one.side == OF_NETWORK:
        return flat(row.get(OF_NETWORK) or {}).get(one.name, LEFT_OUT.get(one.name))
    return _scalar(row[one.side].get(one.name) if one.side else row[column])


def _differences(each: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return what not all of them have alike."""
    return [{key: text for key, text in one.items() if any(other.get(key) != text for other in each)} for one in each]


def _place(name: Name) -> tuple[int, int]:
    """Return the place of a parameter in order: sizes and accuracy, network, privacy, others of the sides."""
    return OWNERS.index(name[0]), [*PRIVACY, name[1]].index(name[1]) if name[0] else 0


def _values(task: Any, row: Row) -> dict[Name, Any]:
    """Return all parameters of a point."""
    sides = [side for side in SIDES if side not in task.idle]
    values = {
        ("", PART): row[PART],
        ("", TASK): row[TASK],
        **{("", side): row["called"][side] for side in sides},
    }
    values |= {("", size.key): row.get(size.column) for size in task.sizes}
    values |= {("", "alpha"): row.get("alpha") or None, ENGINE: row.get("engine_asked")}  # an accuracy of 0 is none
    values = {name: value for name, value in values.items() if value not in (None, "") and value == value}
    values |= {(OF_NETWORK, name): value for name, value in flat(row.get(OF_NETWORK) or {}).items()}
    for side in sides:
        own = {name: value for name, value in (row.get(side) or {}).items() if (side, name) != (PROTOCOL, "alpha")}
        values |= {(side, name): UNSET if value is None else value for name, value in own.items() if name != "kind"}
    return {name: plain(value) for name, value in values.items()}


def plain(value: object) -> Any:
    """Return a value so that equal ones are written alike: 2.0 as 2."""

    def whole(text: str) -> float:
        return int(number) if (number := float(text)).is_integer() else number

    return json.loads(canonical(value), parse_float=whole)


def _given(scenario: Mapping[str, Any], side: str, defaults: Collection[str]) -> Iterator[str]:
    """Yield the names of the parameters of a side that a scenario or a part of it gives, also for all kinds at once."""
    for one in (scenario, *(scenario.get("parts") or {}).values()):
        yield from (name for name in one if name in defaults)
        entries = one.get(side)
        for entry in entries if isinstance(entries, list) else [entries]:
            yield from (name for name in entry if name != "sees") if isinstance(entry, Mapping) else ()


@cache
def of_network(column: str) -> bool:
    """Return whether a column of trials is a parameter of `Network`."""
    from disttrack.simulator.game.network import Network  # loads numpy

    return any(column == one.name or column.startswith(f"{one.name}_") for one in fields(Network))


def setting_in_words(columns: Mapping[str, object], say: Callable[[str, object], str] = with_name) -> list[str]:
    """Return what columns of trials say of a game; of its network only the faults that it has.

    >>> cut = {"partition_sites": "0-4", "partition_from": 3000.0, "partition_to": 3500.0}
    >>> setting_in_words({"sites": 8, **cut, "link": "reliable", "crash_rate": 0})
    ['sites=8', 'partition_sites=0-4', 'partition_from=3,000', 'partition_to=3,500', 'link=reliable']
    >>> setting_in_words({"partition_sites": None, "crash_rate": 0.0002, "link": "bare"})
    ['crash_rate=0.0002']
    """
    return [say(column, value) for column, value in columns.items() if not _is_left_out(column, value)]


def _is_left_out(column: str, value: object) -> bool:
    """Return whether a column is a fault that a network is without."""
    return of_network(column) and (
        value is None or value != value or setting(value) == setting(LEFT_OUT.get(column, ""))
    )
