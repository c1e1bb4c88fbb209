"""The shape of a manifest: a file that anybody may have written, checked before anything is made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

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
    claims: list[_Claim] | None = None
    plots: list[str | Part] | None = None


class _Side(_Lenient):
    kind: str = ""
    alpha: Simple = None


class _Point(_Lenient):
    point: int
    protocol: _Side = _Side()
    adversary: _Side = _Side()
    sites: int | None = None
    items: int | None = None
    start: int | None = None
    network: Part | None = None


class _Manifest(_Lenient):
    scenario: _Scenario
    code: dict[str, Simple] = {}
    files: dict[str, str] = {}
    versions: dict[str, Simple] = {}
    machine: dict[str, Simple] = {}
    seconds: float = 0.0
    games: dict[str, int] = {}
    tables: dict[str, str] = {}
    seeds: list[int] = []
    points: list[_Point] = []


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the content of a manifest.

    Raises
    ------
    ValueError
        It cannot be read, or has a value of the wrong kind; the message names it.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        _Manifest.model_validate(content, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
    except (RecursionError, OSError) as error:
        raise ValueError(str(error)) from error
    return dict(content)
