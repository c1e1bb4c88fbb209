"""The scenarios that ship: with this package, with installed ones, and in the current folder."""

from __future__ import annotations

from pathlib import Path

from disttrack.simulator.kinds.installed import folder_files, packaged_files


def shipped_scenarios() -> dict[str, Path]:
    """Return the scenario files in the current folder's ``scenarios``, and those of installed packages, by name.

    A package names the folder of its own as a module, by an entry point ``disttrack.scenarios``.
    """
    packaged = Path(__file__).resolve().parents[3] / "scenarios"  # beside the packages, installed as in a checkout
    others = packaged_files("disttrack.scenarios")
    paths = [*others, *folder_files(packaged), *folder_files(Path("scenarios"))]
    return {path.stem: path for path in paths}
