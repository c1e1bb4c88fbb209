"""What a manifest may hold: a file that anybody may have written, checked before anything is made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Simple = str | int | float | None
Part = dict[str, Any]


class _Lenient(BaseModel):
    """A part of the file; keys that are not named here are left as they are."""

    model_config = ConfigDict(extra="allow")


class _Claim(_Lenient):
    no_control: str | None = None
    source: str | list[str] | None = None


class _Scenario(_Lenient):
    title: str | None = None
    task: str | None = None
    protocol: str | Part | list[str | Part] | None = None
    adversary: str | Part | list[str | Part] | None = None
    claims: list[_Claim] | None = None
    plots: list[str | Part] | None = None


class _Side(_Lenient):
    kind: str = ""
    alpha: Simple = None


class _Point(_Lenient):
    point: int
    protocol: _Side = Field(default_factory=_Side)
    adversary: _Side = Field(default_factory=_Side)
    sites: int | None = None
    items: int | None = None
    start: int | None = None
    network: Part | None = None


class _Manifest(_Lenient):
    scenario: _Scenario
    name: str = ""
    task: str = ""
    rules: int = 0
    code: dict[str, Simple] = {}
    files: dict[str, str] = {}
    versions: dict[str, Simple] = {}
    machine: dict[str, Simple] = {}
    begun: str = ""
    seconds: float = 0.0
    workers: str = ""
    games: dict[str, int] = {}
    tables: dict[str, str] = {}
    seeds: list[int] = []
    points: list[_Point] = []


def read_manifest(path: Path) -> dict[str, Any]:
    """Return what a manifest says.

    Raises
    ------
    ValueError
        It cannot be read, or says things of the wrong kind; one line says which.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        _Manifest.model_validate(found, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise ValueError(f"{place}: {fault['msg'][:1].lower()}{fault['msg'][1:]}" if place else "no mapping") from error
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error
    return dict(found)
