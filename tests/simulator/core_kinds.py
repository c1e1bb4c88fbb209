"""The kinds of one package: of the core, without those that plug in, or of a wing."""

from __future__ import annotations

from typing import Final

from disttrack.simulator.kinds.registry import Family, Kind, kinds

CORE: Final = ("simulator", "protocols", "adversaries", "mechanisms")


def kinds_of(family: Family, *packages: str) -> dict[str, Kind]:
    """Return the kinds of a family that are in packages of `disttrack`, by their names."""
    places = tuple(f"disttrack.{package}." for package in packages)
    return {name: kind for name, kind in kinds(family).items() if kind.reference.replace(":", ".").startswith(places)}


def core_kinds(family: Family) -> dict[str, Kind]:
    """Return the kinds of the core of a family, by their names."""
    return kinds_of(family, *CORE)
