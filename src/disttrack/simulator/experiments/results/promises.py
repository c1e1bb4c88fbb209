"""Games that promised nothing: figures, pages and tables count them as undecided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.game.tasks.base import Task

if TYPE_CHECKING:
    import pandas as pd


def without_empty_promises(results: Results, games: pd.DataFrame) -> pd.DataFrame:
    """Return games of which those are undecided whose guarantee allows all that was offered."""
    promises = results.known_task.promises
    if promises == Task.promises:
        return games
    points = {row["point"]: row for row in results.settings.rows}
    rows = [{str(name): value for name, value in game.items()} for game in games.to_dict("records")]
    empty = [not promises(points[game["point"]], game) for game in rows]
    verdicts = games["verdict"].mask(np.array(empty, dtype=bool) & (games["verdict"] == "ok"), "undecided")
    return games.assign(verdict=verdicts, ok=games["ok"] & (verdicts == games["verdict"]))
