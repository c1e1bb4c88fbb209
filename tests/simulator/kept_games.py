"""What the journal of a results folder holds, read from a copy: a run may have it open, or have been killed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from disttrack.simulator.runs.journal import JOURNAL, Journal


def kept_games(folder: Path) -> set[str]:
    """Return the keys of the finished games; none of their rows is damaged."""
    with tempfile.TemporaryDirectory() as place:
        for name in (JOURNAL, f"{JOURNAL}-wal"):
            if (folder / name).exists():
                shutil.copyfile(folder / name, Path(place) / name)
        with Journal(Path(place) / JOURNAL) as journal:
            assert journal.damaged == 0
            return journal.known
