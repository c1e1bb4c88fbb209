"""The JSON Schema of scenario files, with the parameters of every registered kind."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, get_type_hints

from pydantic import PydanticSchemaGenerationError, TypeAdapter

from simulator.points.registry import Family, kinds, parameters
from simulator.scenario.model import SWEPT, Head, PointModel
from simulator.tasks import TASKS
from simulator.tasks.base import task

Schema = dict[str, Any]


def scenario_schema() -> Schema:
    """Return the schema: fixed keys as they are, swept keys as a value or a list of values."""
    head = Head.model_json_schema(ref_template="#/$defs/{model}")
    point = PointModel.model_json_schema(ref_template="#/$defs/{model}")
    definitions: Schema = {**head.pop("$defs", {}), **point.pop("$defs", {})}
    definitions.pop("Part", None)
    properties: Schema = {}
    for name, said in head["properties"].items():
        properties[name] = said
    for name in SWEPT:
        said = dict(point["properties"][name])
        if name in ("protocol", "adversary"):
            definitions[name] = _entry(list(dict.fromkeys(task(known).families[name] for known in TASKS)))
            value: Schema = {"$ref": f"#/$defs/{name}"}
        else:
            value = {key: part for key, part in said.items() if key not in ("title", "description", "default")}
        properties[name] = {"description": said.get("description", ""), **_swept(value)}
        if "default" in said:
            properties[name]["default"] = said["default"]
    properties["task"]["enum"] = list(TASKS)
    properties["plots"]["items"] = _figures()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "disttrack scenario",
        "description": "A scalar is fixed, a list is swept.",
        "type": "object",
        "properties": properties,
        "required": ["protocol", "adversary"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _swept(value: Schema) -> Schema:
    return {"anyOf": [value, {"type": "array", "items": value, "minItems": 1}]}


def _figures() -> Schema:
    """Return the schema of an entry of `plots:`: a kind alone, or an alternative a registered kind, or one's own."""
    known = kinds("plot")
    own = {"type": "string", "pattern": ":"}
    reference = {"type": "object", "properties": {"kind": own}, "required": ["kind"]}
    return {"anyOf": [{"enum": list(known)}, own, *(_figure(name) for name in known), reference]}


def _figure(name: str) -> Schema:
    maker = kinds("plot")[name].load()
    taken = parameters(maker)
    return {
        "type": "object",
        "description": maker.says,
        "properties": {"kind": {"const": name}, **{key: {"type": "string"} for key in taken}},
        "required": ["kind", *(key for key, default in taken.items() if default is MISSING)],
        "additionalProperties": False,
    }


def _entry(families: Sequence[Family]) -> Schema:
    """Return the schema of an entry: an alternative a registered kind, and one for the user's own.

    Parameters
    ----------
    families
        Those that the tasks look kinds up in.
    """
    reference: Schema = {
        "type": "object",
        "properties": {"kind": {"type": "string", "pattern": ":", "description": "module:Class or file.py:Class"}},
        "required": ["kind"],
    }
    known = [(family, name) for family in families for name in kinds(family)]
    several: Schema = {
        "type": "object",
        "properties": {"kind": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
        "required": ["kind"],
    }
    alone: Schema = {"type": "string", "anyOf": [{"enum": [name for _, name in known]}, {"pattern": ":"}]}
    return {"anyOf": [*(_kind(family, name) for family, name in known), alone, reference, several]}


def _kind(family: Family, name: str) -> Schema:
    maker = kinds(family)[name].load()
    taken = parameters(maker)
    hints = _hints(maker)
    properties: Schema = {"kind": {"const": name}}
    for parameter, default in taken.items():
        properties[parameter] = _swept(_type(hints.get(parameter, Any)))
        if default is not MISSING and isinstance(default, str | int | float | bool | None):
            properties[parameter]["default"] = default
    if family == "adversary":
        properties["sees"] = {"enum": ["outputs", "traffic", "state"], "default": "outputs"}
    # a task may fill parameters of a mechanism from the game: the horizon from the number of items
    required = [key for key, default in taken.items() if default is MISSING and family != "mechanism"]
    return {
        "type": "object",
        "description": (inspect.getdoc(maker) or "").strip().split("\n")[0],
        "properties": properties,
        "required": ["kind", *required],
        "additionalProperties": False,
    }


def _hints(maker: Any) -> dict[str, Any]:
    try:
        return get_type_hints(maker)
    except (NameError, TypeError):
        return {}


def _type(hint: Any) -> Schema:
    try:
        return TypeAdapter(hint).json_schema()
    except (PydanticSchemaGenerationError, ValueError, TypeError):
        return {}
