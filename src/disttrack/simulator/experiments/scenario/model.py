"""The keys of a scenario file and their values, as pydantic models; the JSON Schema is made of the same models.

`Head` holds the keys that are fixed, `PointModel` one combination of the swept keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from disttrack.mechanisms.docstrings import described_fields
from disttrack.simulator.errors import accepted, as_decimal, as_mapping, as_whole, must_be, nearest
from disttrack.simulator.experiments.claims.claim import LARGEST, Claim, Strict, Text, a_number
from disttrack.simulator.game.columns import TASK
from disttrack.simulator.game.network import network_of
from disttrack.simulator.game.tasks.asked import check_point
from disttrack.simulator.game.tasks.base import Size, Task
from disttrack.simulator.kinds.point import Part, Point, PointError, blamed, part
from disttrack.simulator.kinds.registry import ROLES, as_entry, kinds

# bounds stand before the validator, or pydantic leaves them out of the JSON Schema
Whole = Annotated[int, Field(ge=0, le=LARGEST), BeforeValidator(a_number)]
Count = Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(a_number)]


def _listed(value: object) -> object:
    """Return a list as it is; null, which `--set` puts over one, is an empty one."""
    return [] if value is None else value


NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


class Plan(Strict):
    """How the points of a scenario, or of one of its parts, are swept and played."""

    seed: Whole = 0
    """Root of the seeds of all games."""
    trials: Count = 1
    """Games at each point, each with a seed of its own."""
    zip: Annotated[list[list[Text]], BeforeValidator(_listed)] = Field(default_factory=list)
    """Groups of lists that move together, each a list of keys: [[sites, protocol.alpha]]."""


class Head(Plan):
    """The keys of a scenario that are fixed: a list is not swept here."""

    name: Annotated[str, Field(pattern=NAME)]
    """Names the folder of the results: letters, digits, dots, hyphens, underscores."""
    question: str = ""
    """One line, above tables and figures."""
    finding: str = ""
    """Its answer, shown while nothing is overridden and all claims hold."""
    task: Text = "count"
    """What game is played."""
    parts: dict[Annotated[str, Field(pattern=NAME)], dict[str, Any]] = Field(default_factory=dict)
    """Sweeps of one question by name, each with a seed, trials, sizes and sides of its own."""
    claims: list[Claim] = Field(default_factory=list)
    """Statements that the results must confirm."""
    plots: list[dict[str, Any] | Text] = Field(default_factory=list)
    """Figures to draw: {kind: cost, x: sites}."""


class Entry(BaseModel):
    """A protocol or an adversary: its kind; the other keys are the parameters of that kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: Text
    """A registered name, module:Class, or path/to/file.py:Class."""


class PointModel(Strict):
    """The keys of a scenario that may be swept, without their lists; the sizes are the task's own."""

    protocol: Entry
    """What the sites and the server do."""
    adversary: Entry
    """Who feeds the sites."""
    network: dict[str, Any] | None = None
    """Delays and losses of messages; instantaneous channels if left out."""
    engine: Literal["auto", "step", "leap", "compiled", "arrays", "bulk"] = "auto"
    """How a game is computed; bulk, of earlier versions, is auto."""


_FIRST: Final = ("name", "question", "finding", TASK, "seed", "trials", "parts")
_LAST: Final = ("zip", "claims", "plots")
SWEPT: Final = tuple(PointModel.model_fields)
"""The keys that a list sweeps, beside those of the sizes."""


def keys_of(sizes: Sequence[Size]) -> tuple[str, ...]:
    """Return the keys of a scenario whose task has these sizes."""
    return (*_FIRST, *(size.key for size in sizes), *SWEPT, *_LAST)


def keys_of_part(sizes: Sequence[Size]) -> tuple[str, ...]:
    """Return the keys of a part of a scenario whose task has these sizes."""
    return (*Plan.model_fields, *(size.key for size in sizes), *SWEPT)


@lru_cache
def point_model(sizes: tuple[Size, ...]) -> type[PointModel]:
    """Return the model of a point whose task has these sizes."""
    fields: dict[str, Any] = {}
    for size in sizes:
        value = Annotated[int, Field(ge=size.least, le=LARGEST), BeforeValidator(a_number)]
        default: object = ... if size.needed else None
        fields[size.key] = value if size.needed else value | None, Field(default, description=size.says)
    return create_model("PointModel", __base__=PointModel, **fields)


def point_of(
    values: Mapping[str, Any], number: int, played: Part, game: Task, folder: Path, *, fault: str = ""
) -> Point:
    """Return the point with these values, its sides made once to see that they can be.

    Parameters
    ----------
    values
        A value for each key of the scenario that may be swept.
    played
        The task.
    folder
        The scenario's folder.
    fault
        A named fault in the protocol.

    Raises
    ------
    PointError
        Something in it is wrong; `path` is the place.
    """
    model = point_model(tuple(game.sizes))
    try:
        checked = model.model_validate(values)
    except ValidationError as error:
        first, *more = (PointError(*fault) for fault in faults_of(error, values, model))
        first.more = tuple(more)
        raise first from error
    try:
        network_of(checked.network)
    except ValueError as error:
        wrong = blamed(error, "network", checked.network)
        given: Any = {"network": checked.network}
        for key in wrong.path:
            given = given[key]
        raise PointError(wrong.path, f"{wrong.message}{as_decimal(given) or as_mapping(given)}") from error
    protocol, adversary = (part(role, values[role], folder, game.bases[role]) for role in ROLES)
    network = checked.network and {
        key: float(value) if key.startswith("latency") and isinstance(value, int) else value  # as it is in tables
        for key, value in checked.network.items()
    }
    given = {size.column: getattr(checked, size.key) for size in game.sizes}
    sizes = {column: value for column, value in given.items() if value is not None}
    point = Point(
        number, played, replace(protocol, fault=fault), adversary, network=network, engine=checked.engine, **sizes
    )
    check_point(game, point)
    return point


_PLAIN: Final = {
    r"^\w+ should": "must",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "above",
    "valid integer": "whole number",
    "valid string": "text",
    "valid ": "",
    ", unable.*": "",
}
"""Words of pydantic's messages, and plainer ones."""


_AS: Final = {
    "network": "{latency: 5}",
    "control": "{fault: coarse}",
    "claims": "[{name: it holds, measure: fraction(ok), at_least: 0.95}]",
    "plots": "[{kind: cost, x: sites}]",
    "zip": "[[sites, protocol.alpha]]",
    "parts": "{few: {sites: 4}, many: {sites: 64}}",
}
"""Keys whose values have a form of their own, each with an example."""


_MAPPINGS: Final = ("model_type", "dict_type")
"""Faults of pydantic where a mapping is wanted."""

Fault = tuple[tuple[str | int, ...], str]
"""The place of a fault, and one line with what is accepted."""


def unknown_key(key: object, known: Collection[str]) -> str:
    """Return the refusal of a key, with the known ones if there are any."""
    return f"unknown key{nearest(str(key), known)}" + (f" ({accepted(known)})" if known else "")


def faults_of(error: ValidationError, data: object, model: type[BaseModel]) -> list[Fault]:
    """Return the faults that pydantic sees in data of a model: of a key one, of a claim one per key."""
    grouped: dict[tuple[str | int, ...], list[ErrorDetails]] = {}
    for fault in error.errors(include_url=False):
        place = fault["loc"]
        depth = 3 if place[0] == "claims" else 2 if isinstance((*place, "")[1], int) else 1
        grouped.setdefault(place[:depth], []).append(fault)
    # of a union pydantic lists a fault for each member; the deepest one is the nearest to what was meant
    return [_in_words(max(alike, key=lambda one: len(one["loc"])), data, model) for alike in grouped.values()]


def _in_words(fault: Any, data: object, model: type[BaseModel]) -> Fault:
    """Return one of pydantic's faults as its place and a line."""
    path: list[str | int] = []
    place, kind, given = fault["loc"], fault["type"], fault.get("input")
    for key in place:  # with the names of members of unions, which are no keys
        if (isinstance(data, Mapping) and key in data) or (isinstance(data, list) and isinstance(key, int)):
            data = data[key]
            path.append(key)
    if kind == "missing":
        key = str(place[-1])
        says = model.model_fields[key].description or described_fields(model).get(key, "") if not path else ""
        remedy = next((as_entry(data, kinds(role)) for role in ROLES if role in path[:1]), "")
        return (*path, key), ": ".join(filter(None, ["is missing", says.rstrip(".")])) + remedy
    if kind == "extra_forbidden":
        models: dict[Any, type[BaseModel]] = {("claims", 3): Claim, (path[0], 1): model}
        inner = models.get((path[0], len(path)))
        return tuple(path), unknown_key(path[-1], inner.model_fields if inner is not None else ())
    if kind == "value_error":
        return tuple(path), str(fault["ctx"]["error"])
    if kind == "int_parsing_size":
        return tuple(path), must_be(f"at most {LARGEST}" if float(given) > 0 else "at least 0", given)
    message = fault["msg"]
    advice = _advice(kind, path, given, message)
    if kind in _MAPPINGS:
        return tuple(path), must_be("a mapping", given) + advice
    if kind == "string_pattern_mismatch" and fault["ctx"]["pattern"] == NAME:
        return tuple(path), must_be("letters, digits and .-_, a letter or digit first", given)
    for words, plain in _PLAIN.items():
        message = re.sub(words, plain, message)
    return tuple(path), f"{message}; got {given!r}{advice}"


def _advice(kind: str, path: Sequence[str | int], given: object, message: str) -> str:
    """Return what to write in place of a value of another type, for the end of pydantic's message on it."""
    if kind == "literal_error":
        return nearest(str(given), re.findall("'(.*?)'", message))
    if kind.startswith("int_"):
        return as_whole(given)
    if kind.startswith("float_"):
        return as_decimal(given)
    like = next((f", as in {key}: {_AS[str(key)]}" for key in reversed(path) if key in _AS), "")
    if kind in _MAPPINGS:
        return as_mapping(given) or like
    if kind == "string_type" and isinstance(given, int | float) and path[0] != "zip":
        return "; quote a text such as 1 or true"
    return like if kind in ("list_type", "string_type") else ""
