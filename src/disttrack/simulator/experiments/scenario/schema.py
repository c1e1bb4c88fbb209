"""The JSON Schema of scenario files, with the sizes of every task and the parameters of every registered kind."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final, get_type_hints

from pydantic import BaseModel, PydanticSchemaGenerationError, TypeAdapter

from disttrack.mechanisms.docstrings import described, described_fields
from disttrack.simulator.experiments.claims.claim import Claim, Control
from disttrack.simulator.experiments.scenario.model import (
    SWEPT,
    Head,
    Plan,
    PointModel,
    keys_of,
    keys_of_part,
    point_model,
)
from disttrack.simulator.game.columns import ADVERSARY, PROTOCOL, TASK
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.facts import first_line
from disttrack.simulator.kinds.registry import ROLES, Family, Kind, kinds, parameters

Schema = dict[str, Any]

_WITH_PARTS: Schema = {"required": ["parts"]}


def _object(properties: Mapping[str, object] | None = None, **more: object) -> Schema:
    own = {} if properties is None else {"properties": properties}
    return {"type": "object", **own, **more}


def _text(**more: object) -> Schema:
    return {"type": "string", **more}


def _any(*members: Schema) -> Schema:
    return {"anyOf": [*members]}


def _names(names: Iterable[str]) -> Schema:
    return {"enum": [*names]}


_OWN: Final = _text(pattern=":", description="module:Class or file.py:Class")
"""A class by reference: module:Class or path/to/file.py:Class."""


def scenario_schema() -> Schema:
    """Return the schema: fixed keys as they are, swept keys as a value or a list of values."""
    tasks: dict[str, type[Task]] = {name: kind.load() for name, kind in kinds(TASK).items()}
    head = Head.model_json_schema()
    definitions: Schema = head["$defs"]
    for model in (Claim, Control):
        _described_by(model, definitions[model.__name__])
    fixed = _described_by(Head, head)
    point = _described_by(PointModel, PointModel.model_json_schema())
    keys = {key: _says(described(Network.__doc__ or "").get(key, "")) for key in parameters(Network)}
    point["network"]["anyOf"][0] = _object(keys, additionalProperties=False)
    defaults = dict.fromkeys(name for task in tasks.values() for name in task.defaults)
    for role in ROLES:
        definitions[role] = _entry(role, defaults if role == PROTOCOL else ())
        point[role]["$ref"] = f"#/$defs/{role}"
    swept = {name: _described(point[name]) for name in SWEPT}
    swept |= dict.fromkeys(defaults, _says("For all protocols that take it."))
    properties = {**fixed, **swept}
    own = {**{name: fixed[name] for name in Plan.model_fields}, **swept}
    said = fixed["parts"]["description"]
    properties["parts"] = {**_says(said), **_object(additionalProperties=_object(own))}
    usual = fixed[TASK]["default"]
    properties[TASK] = {**fixed[TASK], **_any(_names(tasks), _OWN)}
    properties["plots"]["items"] = _entry("plot")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "disttrack scenario",
        **_says("A list is swept. The task names the sizes."),
        **_object(properties),
        **_any({"required": [*ROLES]}, _WITH_PARTS),
        "allOf": [_of_task(name, task, needed=name != usual) for name, task in tasks.items()],
        "$defs": definitions,
    }


def _says(text: str) -> Schema:
    return {"description": text}


def _described_by(model: type[BaseModel], schema: Schema) -> Schema:
    """Return the properties of a model's schema, which get its descriptions."""
    properties: Schema = schema["properties"]
    for name, text in described_fields(model).items():
        properties[name] |= _says(text)
    return properties


def _of_task(name: str, task: type[Task], *, needed: bool) -> Schema:
    """Return what holds of the scenarios of one task: its sizes, and no keys but its own.

    Parameters
    ----------
    needed
        Whether a scenario must name the task to be one of it; the usual task may be left out.
    """
    model = point_model(tuple(task.sizes)).model_json_schema()["properties"]
    sizes = {size.key: _described(model[size.key]) for size in task.sizes}
    asked: Schema = {"properties": {TASK: {"const": name}}, **({"required": [TASK]} if needed else {})}
    part = _only(sizes, (*keys_of_part(task.sizes), *task.defaults))
    own = _only({**sizes, "parts": {"additionalProperties": part}}, (*keys_of(task.sizes), *task.defaults))
    missing = [size.key for size in task.sizes if size.needed]
    return {"if": asked, "then": {**own, **(_any({"required": missing}, _WITH_PARTS) if missing else {})}}


def _only(properties: Schema, names: Iterable[str]) -> Schema:
    return {"properties": properties, "propertyNames": _names(names)}


def _described(field: Mapping[str, object]) -> Schema:
    """Return a swept key: its description and default, and a value or a list of values."""
    plain = {key: part for key, part in field.items() if key not in ("title", "description", "default")}
    default = {"default": field["default"]} if "default" in field else {}
    return {"description": field.get("description", ""), **_swept(plain), **default}


def _swept(value: Schema) -> Schema:
    return _any(value, _list(value))


def _list(value: Schema) -> Schema:
    return {"type": "array", "items": value, "minItems": 1}


def _entry(family: Family, elsewhere: Collection[str] = ()) -> Schema:
    """Return the schema of an entry: a kind alone, or an alternative for each registered kind, and for one's own.

    Parameters
    ----------
    elsewhere
        Parameters that a scenario may give once for all entries.
    """
    known = list(kinds(family).values())
    names = list(dict.fromkeys(kind.name for kind in known))
    alone = _text(**_any(_names(names), {"pattern": ":"}))
    kind = _OWN if family == "plot" else _any(_OWN, _list(_text()))
    reference = _object({"kind": kind}, required=["kind"])
    return _any(*(_kind(kind, elsewhere) for kind in known), alone, reference)


def _kind(kind: Kind, elsewhere: Collection[str]) -> Schema:
    """Return the schema of an entry of a registered kind; parameters of a plot are not swept."""
    family, maker = kind.family, kind.load()
    taken = parameters(maker)
    hints = _hints(maker, taken)
    properties: Schema = {"kind": {"const": kind.name}}
    required = ["kind"]
    for parameter, default in taken.items():
        value = _type(hints.get(parameter, Any))
        properties[parameter] = value if family == "plot" else _swept(value)
        # a task may fill parameters of a mechanism from the game: the horizon from the number of items
        of_the_game = family == PROTOCOL and not hasattr(maker, "cost_bound")
        if default is MISSING and not of_the_game and parameter not in elsewhere:
            required.append(parameter)
        elif isinstance(default, str | int | float | bool | None) and family != "plot":
            properties[parameter]["default"] = default
    if family == ADVERSARY:
        # the last three are for online learners, whose outputs are hypotheses or predictions
        powers = ["outputs", "traffic", "state", "hypotheses", "predictions", "nothing"]
        properties["sees"] = {**_names(powers), "default": powers[0]}
    return _says(first_line(maker)) | _object(properties, required=required, additionalProperties=False)


def _hints(maker: Any, names: Collection[str]) -> dict[str, Any]:
    """Return the types of parameters; none if one of them cannot be told. Others are not evaluated: it takes long."""
    hints: dict[str, Any] = {}
    for one in getattr(maker, "__mro__", (maker,)):
        stated = vars(one).get("__annotations__", {})  # a base class may state the name of a parameter otherwise
        own = {name: hint for name, hint in stated.items() if name in names and name not in hints}
        known = {**vars(one), **vars(sys.modules[one.__module__])}
        try:
            hints |= get_type_hints(SimpleNamespace(__annotations__=own), known)
        except (NameError, ValueError, TypeError):
            return {}
    return hints


def _type(hint: Any) -> Schema:
    """Return the schema of a type; one that accepts anything where there is none."""
    with suppress(TypeError):  # a type that cannot be a key
        return _known_type(hint)
    return _new_type(hint)


def _new_type(hint: Any) -> Schema:
    try:
        return TypeAdapter(hint).json_schema()
    except (PydanticSchemaGenerationError, NameError, ValueError, TypeError):
        return {}


_known_type = lru_cache(maxsize=None)(_new_type)
"""Most parameters are of a few dozen types."""
