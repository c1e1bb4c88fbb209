"""The figure of a comparison: a row per point that results share, the medians of each result laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from disttrack.simulator.experiments.results.compared import Compared, Middle, Row
from disttrack.simulator.experiments.results.files import write_text
from disttrack.simulator.experiments.results.formats import exact
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.plots.base import Plot
from disttrack.simulator.shown.plots.description import Axis, Description, Look, Panel, Series
from disttrack.simulator.shown.plots.page import pages
from disttrack.simulator.shown.plots.panels import HOLLOW_NOTE, rescaled, value_axis
from disttrack.simulator.shown.plots.render import render
from disttrack.simulator.shown.plots.requests import printed_caption
from disttrack.simulator.shown.plots.style import house_style, save

LOOKS: Final = tuple(
    Look(colour, marker, "")
    for colour, marker in (("#000000", "o"), ("#D55E00", "D"), ("#0072B2", "s"), ("#009E73", "^"), ("#CC79A7", "v"))
)
"""Colour and mark of each result, in order."""
USUAL: Final = Plot()
"""Scales, size and font of the house."""
HELD: Final = "held"
"""The measure that says whether a point is broken."""
MOST: Final = 40
"""Rows that are drawn."""


def overlay(compared: Compared, measure: str) -> Description:
    """Return the figure of one measure.

    Raises
    ------
    ValueError
        No point has it.
    """
    rows = [row for row in compared.rows if row.measure == measure and row.one.value is not None]
    every = list(dict.fromkeys(_point(compared, row) for row in rows))
    order = [one.values for one in compared.points]
    rows = [row for row in rows if _point(compared, row) in every[:MOST]]
    points = list(dict.fromkeys(_point(compared, row) for row in sorted(rows, key=lambda row: order.index(row.point))))
    if not points:
        raise ValueError(f"no shared point has {measure!r}")
    names = compared.names[: len(LOOKS)]
    step = 0.5 / max(2, len(names))
    verdicts = [row for row in compared.rows if row.measure == HELD]
    series = []
    for place, (name, look) in enumerate(zip(names, LOOKS, strict=False)):
        mine, held = (_middles(compared, those, name) for those in (rows, verdicts))
        medians = [(points.index(point), middle) for point, middle in mine.items() if point in points]
        shown = [(at, each) for at, each in medians if each.value is not None]
        at = np.array([at for at, _ in shown]) + (place - (len(names) - 1) / 2) * step
        values = np.array([each.value for _, each in shown], dtype=float)
        series.append(Series(name, values, at, look))
        broken = np.array([_is_broken(held.get(points[row])) for row, _ in shown], dtype=bool)
        if broken.any():
            hollow = replace(look, hollow=True, edge=1.4, order=3.1)
            series.append(Series(name, values[broken], at[broken], hollow, "fails"))
        thin = Look(look.colour, width=1.1)
        for row, (_, each) in zip(at, shown, strict=True):
            if each.low is not None and each.high is not None:
                series.append(Series(name, [each.low, each.high], [row, row], thin, "interval"))
    intervals = any(one.role == "interval" for one in series)
    left_out, others = len(every) - len(points), compared.names[len(LOOKS) :]
    more = f" Left out: {count(left_out, 'point')} more, which changed less." * bool(left_out)
    more += f" Not drawn: {', '.join(others)}." * bool(others)
    x = value_axis(measure, np.concatenate([one.x for one in series]))
    return Description(
        [Panel(series, x, Axis(names=points))], 1, 0.8 + 0.3 * len(points),
        f"{measure[:1].upper()}{measure[1:]} of {' and '.join(names)}", compared.subtitle,
        note="Marks: medians." + " Lines: their intervals at 97.5 %." * intervals
        + f" {HOLLOW_NOTE}" * any(one.role == "fails" for one in series)
        + f" Rows: in the order of {names[0]}." + more,
        caption=f"{measure} at {len(points)} shared points: medians, intervals.",
        legend=[(look, name) for name, look in zip(names, LOOKS, strict=False)],
    )  # fmt: skip


def draw_overlays(
    compared: Compared, folder: Path, style: str = "screen", look: Plot = USUAL
) -> tuple[list[Path], list[str]]:
    """Draw a figure for each measure that has ratios; return the SVG files, and why others are not drawn.

    Parameters
    ----------
    style
        As for `draw`.
    look
        Scale, size and font.
    """
    paths, faults = [], []
    for measure in dict.fromkeys(row.measure for row in compared.rows if row.ratio is not None):
        stem = f"compare-{measure.replace('/', '-over-').replace(' ', '-')}"
        try:
            for page in pages(style, look.inches, look.font):
                place = folder / "-".join(filter(None, [stem, page.name]))
                with house_style(page):
                    described = rescaled(overlay(compared, measure), look.scales)
                    figure = render(described)
                save(figure, place, page.forms, page)
                if not page.titled:
                    write_text(place.with_name(f"{place.name}.txt"), printed_caption(described))
                paths.append(place.with_name(f"{place.name}.svg"))
        except ValueError as error:  # long names leave no room
            faults.append(f"{measure}: {error}")
    return paths, faults


def _middles(compared: Compared, rows: Sequence[Row], name: str) -> dict[str, Middle]:
    """Return the games of each point in a result: the first result is in each row, another one in its own."""
    first = name == compared.names[0]
    return {_point(compared, row): row.one if first else row.two for row in rows if first or row.other == name}


def _is_broken(held: Middle | None) -> bool:
    """Return whether at least half of the games of a point failed."""
    return held is not None and held.hits is not None and 2 * held.hits <= held.games


def _point(compared: Compared, row: Row) -> str:
    """Return a point in words; of one of several others, as the first result has it."""
    texts = row.cells if len(compared.names) == 2 else {name: exact(value) for name, value in row.point.items()}
    cells = {name: texts[name] for name in compared.headers if texts[name] not in ("", "none")}
    sides = [cells.pop(side) for side in ("protocol", "adversary") if side in cells]
    rest = [f"{name.removeprefix('protocol ').removeprefix('adversary ')} {text}" for name, text in cells.items()]
    return ", ".join([" against ".join(sides), *rest] if sides else rest)
