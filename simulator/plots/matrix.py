"""The `matrix` figure: protocols against adversaries, how many games held and how far the error went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from simulator.plots.base import Plot
from simulator.plots.error import error_over_alpha

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.results.read import Tables

_FAILED: Final = ("#FFFFFF", "#F6C7A0", "#D55E00", "#7A3000")
"""White where all games held, darker with each that failed: lightness alone says it."""


@dataclass(frozen=True, kw_only=True)
class Matrix(Plot):
    """The share of games that held, a row per protocol and a column per adversary.

    Parameters
    ----------
    controls
        Whether the games of the claims' controls, in which something is broken, get rows of their own.
    """

    kind: ClassVar[str] = "matrix"
    says: ClassVar[str] = "protocols against adversaries: how many games held"
    narrow: ClassVar[bool] = False

    controls: bool = False

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.edges import infinite_note
        from simulator.plots.style import new_figure
        from simulator.results.fixed import fixed

        parts, adversaries = self._rows(tables)
        results, rows = list(parts), list(parts.values())
        note = "In each cell: games that held of games played, and the median of their largest errors, in units of α."
        if self.controls:
            note += " Rows with a broken part: the controls of the claims."
        note += infinite_note(error_over_alpha(tables.trials))
        wide = min(12.0, max(8.0, 1.9 + 0.82 * len(adversaries)))
        height = sum(0.46 * len(part) + (0.35 if tables.several else 0.0) for part in rows) + 0.75
        height += 0.15 * max(name.count("\n") for name in _names(adversaries))
        figure = new_figure(height, self.title or tables.title, fixed(tables), note, width=wide)
        made = figure.subplots(
            len(results),
            1,
            squeeze=False,
            sharex=True,
            gridspec_kw={"height_ratios": [len(part) for part in rows]},
        )
        for axes, result, part in zip(made.flat, results, rows, strict=True):
            axes.set_title(result if tables.several else "", pad=22 if axes is made.flat[0] else 7)
            _draw_cells(axes, part, adversaries)
            axes.tick_params(top=axes is made.flat[0], labeltop=axes is made.flat[0], bottom=False, labelbottom=False)
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.plots.edges import infinite_note
        from simulator.results.fixed import fixed

        parts, _ = self._rows(tables)
        infinite = infinite_note(error_over_alpha(tables.trials))
        told = []
        for label, games in (row for part in parts.values() for row in part):
            failed = games[~games["ok"].astype(bool)]
            against = "; ".join(mostly_failing(games))
            told.append(
                f"{label} holds in {len(games) - len(failed)} of {len(games)}"
                + f" (fails against {against})" * bool(against)
            )
        return (
            "Games that held of games played, a row per protocol and a column per adversary, with the median of their "
            f"largest errors in units of α; darker cells fail more often.{infinite} "
            f"Fixed: {fixed(tables)}. {'; '.join(told)}."
        )

    def _rows(self, tables: Tables) -> tuple[dict[str, list[tuple[str, pd.DataFrame]]], list[str]]:
        """Return the rows of each result, with their games, and the adversaries of the columns."""
        from simulator.results.read import lines

        trials = tables.trials.assign(_error=error_over_alpha(tables.trials))
        trials = trials[~trials["verdict"].isin(("undecided", "error"))]
        if trials.empty:
            raise ValueError("a matrix figure needs games with a verdict; these games promise nothing")
        rows = {}
        for result in tables.scenarios:
            found = lines(trials[trials["result"] == result])
            if found:
                rows[result] = [(line.label, line.games) for line in found]
        return rows, list(dict.fromkeys(trials["adversary"]))


def mostly_failing(games: pd.DataFrame) -> list[str]:
    """Return the adversaries against which at least half of the games failed."""
    shares = games.groupby("adversary", sort=False)["verdict"].agg(lambda verdicts: (verdicts == "failed").mean())
    return [str(adversary) for adversary, share in shares.items() if share >= 0.5]


def _draw_cells(axes: Axes, rows: list[tuple[str, pd.DataFrame]], adversaries: list[str]) -> None:
    """Draw the cells of one result."""
    from matplotlib.colors import LinearSegmentedColormap

    from simulator.plots.style import INK

    failed = np.full((len(rows), len(adversaries)), np.nan)
    for row, (_, games) in enumerate(rows):
        for column, adversary in enumerate(adversaries):
            mine = games[games["adversary"] == adversary]
            if mine.empty:
                continue
            held = int(mine["ok"].sum())
            failed[row, column] = 1 - held / len(mine)
            worst = float(mine["_error"].median())
            error = "∞" if worst == np.inf else f"{worst:.2f}"
            text = f"{held}/{len(mine)}\n{error} α" if worst == worst else f"{held}/{len(mine)}"
            dark = failed[row, column] > 0.55
            axes.text(
                column,
                row,
                text,
                ha="center",
                va="center",
                size=8,
                color="white" if dark else INK,
                gid="cell",
            )
    shades = LinearSegmentedColormap.from_list("failed", list(_FAILED))
    axes.imshow(failed, cmap=shades, vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(adversaries)), _names(adversaries), size=8.5)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows], size=9)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for place in range(1, len(adversaries)):
        axes.axvline(place - 0.5, color="#BBBBBB", linewidth=0.6)
    for place in range(1, len(rows)):
        axes.axhline(place - 0.5, color="#BBBBBB", linewidth=0.6)
    for spine in axes.spines.values():
        spine.set_visible(True)


def _names(adversaries: list[str]) -> list[str]:
    """Return what stands over the columns; where these are narrow, over several lines, a parameter on each."""
    if len(adversaries) < 6:
        return adversaries
    return [name.replace("-", "-\n", 1).replace(", ", "\n") for name in adversaries]
