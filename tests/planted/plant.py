"""Plant faults of one line, one at a time, and see which are found.

``python tests/planted/plant.py live`` searches with each fault of `live.toml` in simulated time, in an environment with
simloom (`make simulated` makes `.venv-simulated`), until a schedule breaks a promise. ``plant.py rooms`` runs the quick
tests of the room of each fault of `rooms.toml`. The lists were written by somebody who had not seen the tests, and
committed before they were first tried.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
LEFT_OUT: Final = (".git", ".venv*", "__pycache__", ".*_cache")
"""Names of files and folders that a copy of the tree does without."""


def plant(fault: dict[str, Any], tree: Path) -> None:
    """Replace the line of a fault in a tree.

    Raises
    ------
    ValueError
        The file has no such line, or several.
    """
    path = tree / fault["file"]
    lines = path.read_text("utf-8").split("\n")
    places = [
        place
        for place, line in enumerate(lines)
        if line == fault["line"] and fault.get("before", lines[place - 1]) == lines[place - 1]
    ]
    if len(places) != 1:
        raise ValueError(f"{fault['name']}: {fault['file']} has this line {len(places)} times: {fault['line'].strip()}")
    lines[places[0]] = fault["planted"]
    path.write_text("\n".join(lines), "utf-8")


def command_of(fault: dict[str, Any], rooms: dict[str, list[str]], asked: argparse.Namespace) -> list[str]:
    """Return the command that should find a fault."""
    if "room" in fault:
        quick = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
        return [sys.executable, "-m", "pytest", *quick, *rooms[fault["room"]]]
    search = ["tests/fleet/simulated/sim_search.py", *asked.protocols, "--any", "--schedules", str(asked.schedules)]
    return [str(ROOT / ".venv-simulated/bin/python"), *search]


def tried(fault: dict[str, Any], rooms: dict[str, list[str]], asked: argparse.Namespace) -> str:
    """Return a row: the fault, whether it was found, and by what."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
        try:
            plant(fault, tree)
        except ValueError as error:  # the code has changed since the list was written
            return f"| {fault['name']} | gone | {error} |"
        environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
        run = subprocess.run(
            command_of(fault, rooms, asked), cwd=tree, env=environment, capture_output=True, text=True, check=False
        )
    lines = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR", "found", "  ->"))]
    why = lines[0] if lines else run.stderr.strip().splitlines()[-1:] if run.returncode else ""
    verdict = "found" if run.returncode else "NOT FOUND"
    if str(why).startswith("ERROR") and "::" not in why:  # a file that cannot be imported finds nothing
        verdict = "NOT RUN"
    return f"| {fault['name']} | {verdict} | {str(why).strip()} |"


def main() -> None:
    """Try the faults of a list, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("list", choices=("live", "rooms"))
    parser.add_argument("names", nargs="*", help="Names of faults; all of the list.")
    parser.add_argument("--schedules", type=int, default=2000, help="Number of schedules for each, over all protocols.")
    parser.add_argument("--protocols", nargs="*", default=[], help="Protocols of the search; all that can be served.")
    parser.add_argument("--at-once", type=int, default=1, help="Number of faults that are tried at the same time.")
    asked = parser.parse_args()
    known = tomllib.loads((HERE / f"{asked.list}.toml").read_text("utf-8"))
    faults = [fault for fault in known["fault"] if not asked.names or fault["name"] in asked.names]
    with ThreadPoolExecutor(asked.at_once) as pool:
        for row in pool.map(lambda fault: tried(fault, known.get("rooms", {}), asked), faults):
            print(row, flush=True)


if __name__ == "__main__":
    main()
