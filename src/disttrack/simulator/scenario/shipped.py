"""The scenarios that ship: with this package, with installed ones, and in the current folder."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from disttrack.simulator.points.installed import entry_points


def shipped_scenarios() -> dict[str, Path]:
    """Return the scenario files in the current folder's ``scenarios``, and those of installed packages, by name.

    A package names the folder of its own as a module, by an entry point ``disttrack.scenarios``.
    """
    packaged = Path(__file__).resolve().parents[2] / "scenarios"  # beside the packages, installed as in a checkout
    specs = [find_spec(point.value) for point in entry_points(group="disttrack.scenarios")]
    others = [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]
    paths = [path for folder in (*others, packaged, Path("scenarios")) for path in sorted(folder.glob("*.yaml"))]
    return {path.stem: path for path in paths}
