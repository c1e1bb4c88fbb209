"""The `matrix` figure: protocols against adversaries, how many games held and how far the error went."""

from __future__ import annotations

from typing import Final

import numpy as np

from disttrack.simulator.plots.description import Axis, Cells, Description, Panel
from disttrack.simulator.plots.kinds import Matrix
from disttrack.simulator.plots.panels import error_over_alpha
from disttrack.simulator.plots.spread import row_label
from disttrack.simulator.plots.sweep import infinite_note
from disttrack.simulator.results.parameters import fixed
from disttrack.simulator.results.read import Line, Tables, lines

_FAILED: Final = ("#FFFFFF", "#F6C7A0", "#D55E00", "#7A3000")
"""White where all games held, darker with each that failed: lightness alone shows it."""


def describe(plot: Matrix, tables: Tables) -> Description:
    """Return the figure."""
    trials = tables.trials.assign(_error=error_over_alpha(tables.trials))
    trials = trials[trials["verdict"].isin(("ok", "failed"))]
    if trials.empty:
        raise ValueError("a matrix figure needs games with a verdict; these games promise nothing")
    adversaries = list(dict.fromkeys(trials["adversary"]))
    names = adversaries
    if len(adversaries) > 5:  # narrow columns: a parameter on each line
        names = [name.replace("-", "-\n", 1).replace(", ", "\n") for name in adversaries]
    found = {result: lines(trials[trials["result"] == result]) for result in tables.scenarios}
    rows = {result: part for result, part in found.items() if part}
    panels = [
        Panel([_cells(part, adversaries)], Axis(names=names), Axis(names=[row_label(line) for line in part]),
              result if tables.several else "")
        for result, part in rows.items()
    ]  # fmt: skip
    note = "In each cell: games that held of games played"
    note += ", and the median of their largest errors, in units of α." if trials["_error"].notna().any() else "."
    note += " Rows with a fault: the controls of the claims." if plot.controls else ""
    seen = [
        f"{row_label(line)} holds in {int(line.games['ok'].astype(bool).sum())} of {len(line.games)}"
        for part in rows.values()
        for line in part
    ]
    height = 0.75 + 0.46 * sum(map(len, rows.values())) + 0.15 * max(name.count("\n") for name in names)
    return Description(
        panels, 1, height + 0.35 * tables.several, plot.title or tables.title, fixed(tables),
        note + infinite_note(trials["_error"]), f"Games that held, by protocol: {'; '.join(seen)}.",
        width=min(12.0, max(8.0, 1.9 + 0.82 * len(adversaries))), share=("all", "none"),
    )  # fmt: skip


def _cells(rows: list[Line], adversaries: list[str]) -> Cells:
    """Return the share of games that failed in each cell, with its text."""
    failed = np.full((len(rows), len(adversaries)), np.nan)
    texts = [[""] * len(adversaries) for _ in rows]
    for row, line in enumerate(rows):
        for adversary, games in line.games.groupby("adversary"):
            column, held = adversaries.index(str(adversary)), int(games["ok"].sum())
            failed[row, column] = 1 - held / len(games)
            worst = float(games["_error"].median())
            error = "∞" if worst == np.inf else f"{worst:.2f}"
            texts[row][column] = f"{held}/{len(games)}" + f"\n{error} α" * (worst == worst)
    return Cells("share of games that failed", failed, texts, _FAILED)
