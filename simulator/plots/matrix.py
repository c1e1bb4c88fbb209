"""The `matrix` figure: protocols against adversaries, how many games held and how far the error went."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from disttrack.simulator.plots.description import Axis, Cells, Description, Panel
from disttrack.simulator.plots.errors import error_over_alpha
from disttrack.simulator.plots.kinds import Matrix
from disttrack.simulator.plots.sweep import infinite_note
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.read import Tables, lines

_FAILED: Final = ("#FFFFFF", "#F6C7A0", "#D55E00", "#7A3000")
"""White where all games held, darker with each that failed: lightness alone says it."""

Rows = list[tuple[str, pd.DataFrame]]
"""Labels of rows with their games."""


def describe(plot: Matrix, tables: Tables) -> Description:
    """Return the figure."""
    parts, adversaries = _rows(tables)
    infinite = infinite_note(error_over_alpha(tables.trials))
    note = "In each cell: games that held of games played, and the median of their largest errors, in units of α."
    if plot.controls:
        note += " Rows with a broken part: the controls of the claims."
    names = _names(adversaries)
    height = sum(0.46 * len(part) + (0.35 if tables.several else 0.0) for part in parts.values()) + 0.75
    height += 0.15 * max(name.count("\n") for name in names)
    panels: list[Panel] = []
    for result, rows in parts.items():
        x = Axis(names=names, top=not panels, small=8.5)
        y = Axis(names=[label for label, _ in rows], small=9)
        panels.append(Panel([_cells(rows, adversaries)], x, y, result if tables.several else ""))
    return Description(
        panels, 1, height, plot.title or tables.title, fixed(tables), note + infinite,
        _caption(parts, infinite, tables), width=min(12.0, max(8.0, 1.9 + 0.82 * len(adversaries))),
        share=("all", "none"), heights=[len(rows) for rows in parts.values()],
    )  # fmt: skip


def _rows(tables: Tables) -> tuple[dict[str, Rows], list[str]]:
    """Return the rows of each result, with their games, and the adversaries of the columns."""
    trials = tables.trials.assign(_error=error_over_alpha(tables.trials))
    trials = trials[~trials["verdict"].isin(("undecided", "error"))]
    if trials.empty:
        raise ValueError("a matrix figure needs games with a verdict; these games promise nothing")
    found = {result: lines(trials[trials["result"] == result]) for result in tables.scenarios}
    rows = {result: [(line.label, line.games) for line in mine] for result, mine in found.items() if mine}
    return rows, list(dict.fromkeys(trials["adversary"]))


def mostly_failing(games: pd.DataFrame) -> list[str]:
    """Return the adversaries against which at least half of the games failed."""
    shares = games.groupby("adversary", sort=False)["verdict"].agg(lambda verdicts: (verdicts == "failed").mean())
    return [str(adversary) for adversary, share in shares.items() if share >= 0.5]


def _cells(rows: Rows, adversaries: list[str]) -> Cells:
    """Return the share of games that failed in each cell, with its text."""
    failed = np.full((len(rows), len(adversaries)), np.nan)
    texts = [[""] * len(adversaries) for _ in rows]
    for row, (_, games) in enumerate(rows):
        for column, adversary in enumerate(adversaries):
            mine = games[games["adversary"] == adversary]
            if mine.empty:
                continue
            held = int(mine["ok"].sum())
            failed[row, column] = 1 - held / len(mine)
            worst = float(mine["_error"].median())
            error = "∞" if worst == np.inf else f"{worst:.2f}"
            texts[row][column] = f"{held}/{len(mine)}" + f"\n{error} α" * (worst == worst)
    return Cells("share of games that failed", failed, texts, _FAILED)


def _caption(parts: dict[str, Rows], infinite: str, tables: Tables) -> str:
    seen = []
    for label, games in (row for part in parts.values() for row in part):
        held = int(games["ok"].astype(bool).sum())
        against = "; ".join(mostly_failing(games))
        seen.append(f"{label} holds in {held} of {len(games)}" + f" (fails against {against})" * bool(against))
    return (
        "Games that held of games played, a row per protocol and a column per adversary, with the median of their "
        f"largest errors in units of α; darker cells fail more often.{infinite} "
        f"Fixed: {fixed(tables)}. {'; '.join(seen)}."
    )


def _names(adversaries: list[str]) -> list[str]:
    """Return what stands over the columns; where these are narrow, over several lines, a parameter on each."""
    if len(adversaries) < 6:
        return adversaries
    return [name.replace("-", "-\n", 1).replace(", ", "\n") for name in adversaries]
