"""The `size` figure: the largest error over the family, beside the size of the data set, in the course of a game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from disttrack.simulator.plots.description import THIN, Axis, Description, Look, Panel, Series
from disttrack.simulator.plots.kinds import SizeOverTime
from disttrack.simulator.plots.panels import look_of
from disttrack.simulator.plots.sentences import capital
from disttrack.simulator.plots.sweep import panels
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import number, short
from disttrack.simulator.results.read import Line, Tables, lines


def describe(plot: SizeOverTime, tables: Tables) -> Description:
    """Return the figure."""
    on_data = {"late_error", "_late_error"} & set(tables.trials.columns)
    if not on_data or tables.series.empty or tables.series["rel_error"].isna().all():
        raise ValueError("a size figure needs the timelines of games on data sets; series.csv has none of them")
    drawn = [(title, lines(games, apart=("adversary",))) for title, games in panels(tables)]
    kinds = tuple(dict.fromkeys(tables.trials["protocol"]))
    last = len(drawn) - 1
    items = [list(_items(found, tables, kinds, named=place == last)) for place, (_, found) in enumerate(drawn)]
    heights = np.concatenate([one.y for part in items for one in part])
    # from where it is reached by more than a moment
    low = 10.0 ** np.floor(np.log10(max(1.0, float(np.quantile(heights, 0.03)))))
    y = Axis("largest error over the family, in items", "log", (float(low), None), most=9, text=short)
    many = 4 if len(drawn) > 1 else 7
    x = Axis("steps", ends=(0, None), most=many, text=lambda value: short(value) if value else "0")
    made = [Panel(part, x, y, title if len(drawn) > 1 else "") for part, (title, _) in zip(items, drawn, strict=True)]
    seen = " ".join(_late_errors(title if len(drawn) > 1 else "over the games", found) for title, found in drawn)
    caption = (
        "Largest error over the family of queries, in items, against steps, in the first game of a point; dashed: "
        f"items in the data set, above which answers of 0 would be better. Fixed: {fixed(tables)}. {seen}"
    )
    note = "The first game of each point, at about 200 checkpoints. Dashed: items in the data set."
    return Description(
        made, len(drawn), 3.9, plot.title or tables.title, fixed(tables), note, caption
    )  # fmt: skip


def _late_errors(title: str, found: list[Line]) -> str:
    """Return what there is to see in a panel."""
    return f"{capital(title)}, in the second half at most, at the median: {'; '.join(map(_late, found))}."


def _late(line: Line) -> str:
    """Return what the games of a line err by, and what answers of 0 would."""
    column = "late_error" if "late_error" in line.games else "_late_error"
    zero = column.replace("error", "zero")
    errs = f"{line.label} errs by {number(float(line.games[column].median()))}"
    return f"{errs}, answers of 0 by {number(float(line.games[zero].median()))}" if zero in line.games else errs


def _items(found: list[Line], tables: Tables, kinds: tuple[str, ...], *, named: bool) -> Iterator[Series]:
    """Yield the lines of one adversary, and the size of the data set before them."""
    for place, line in enumerate(found):
        timeline = _first_game(line.games, tables)
        steps, items = timeline["step"].to_numpy(dtype=float), timeline["items"].to_numpy(dtype=float)
        if place == 0:
            yield Series("items", steps, items, Look("#888888", "", THIN, 1.2, order=2), label="items" * named)
        errors = np.maximum(timeline["rel_error"].to_numpy(dtype=float) * np.maximum(items, 1), 0.5)
        look = look_of(line, kinds, marker="", width=1.4, order=2)
        yield Series(line.label, steps, errors, look, label=line.label * named)


def _first_game(games: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    """Return the timeline of the first of these games."""
    return tables.timeline(games.sort_values(["point", "trial"]).iloc[0]).sort_values("step")
