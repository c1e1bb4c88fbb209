"""The kinds of the core, without those that plug in."""

from __future__ import annotations

from typing import Final

from disttrack.simulator.kinds.registry import Family, Kind, kinds

CORE: Final = tuple(f"disttrack.{package}." for package in ("simulator", "protocols", "adversaries", "mechanisms"))


def core_kinds(family: Family) -> dict[str, Kind]:
    """Return the kinds of a family by their keys."""
    return {key: kind for key, kind in kinds(family).items() if kind.reference.startswith(CORE)}
