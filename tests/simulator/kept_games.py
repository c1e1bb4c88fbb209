"""What a results folder holds: its tables, and its journal, read from a copy: a run may have it open, or was killed."""

from __future__ import annotations

import csv
import shutil
import tempfile
from pathlib import Path
from typing import Any

from disttrack.simulator.experiments.runs.journal import JOURNAL, Journal


def kept_games(folder: Path) -> set[str]:
    """Return the keys of the finished games; none of their rows is damaged."""
    with tempfile.TemporaryDirectory() as place:
        for name in (JOURNAL, f"{JOURNAL}-wal"):
            if (folder / name).exists():
                shutil.copyfile(folder / name, Path(place) / name)
        with Journal(Path(place) / JOURNAL) as journal:
            assert journal.damaged == 0
            return journal.known


def tables(folder: Path) -> dict[str, Any]:
    """Return the tables of a run but for the seconds that its games took."""
    exact = {name: (folder / name).read_bytes() for name in ("series.csv", "kinds.csv", "claims.csv")}
    with open(folder / "trials.csv", encoding="utf-8", newline="") as lines:
        rows = [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(lines)]
    return {**exact, "trials": rows}
