"""Captions: what each figure of a result shows, from the plot and its data, for pages, galleries and alternative texts.

They stand beside the figures too, in ``figures/captions.json``, by the names of the files without their endings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from simulator.plots.base import Plot
from simulator.results.files import is_inside, writing
from simulator.results.read import Tables

FILE: Final = "captions.json"
"""Name of the file beside the figures."""


def caption_of(tables: Tables, plot: Plot) -> str:
    """Return the caption of one figure: one line of plain text; what the plot says of itself if no more can be told.

    Parameters
    ----------
    tables
        All games of the results; those that the plot shows are chosen here, as they are for drawing.
    """
    try:
        plot, shown = prepared(tables, plot)
        told = plot.caption(shown)
    except Exception:  # a plot of the user's own, or tables that it cannot be drawn from: drawing tells what is wrong
        told = plot.says or plot.kind or type(plot).__name__
    line = " ".join(re.sub(r"\$(\d+)\^\{(\d+)\}\$", r"\1^\2", told).split())  # no formulas in plain text
    return line[:1].upper() + line[1:] + ("" if line.endswith((".", "!", "?")) or not line else ".")


def prepared(tables: Tables, plot: Plot) -> tuple[Plot, Tables]:
    """Return a plot with its axes called as the tables call them, and the games that it shows.

    Raises
    ------
    ValueError
        No game meets its condition.
    """
    names = tables.called
    axes = {key: names[value] for key in ("x", "y") if (value := getattr(plot, key, "")) in names}
    if axes:  # whoever asks for items where the task has steps gets the steps
        plot = replace(plot, **axes)
    if getattr(plot, "controls", False):
        tables = tables.with_controls()
    return plot, tables.where(plot.where).with_adversaries_named(getattr(plot, "x", "")).in_words_of_task()


def write_captions(folder: Path, told: Mapping[str, str]) -> None:
    """Write captions beside the figures, those of other figures that are there left as they are."""
    path = folder / FILE
    there = path.is_file() and is_inside(path, folder.parent)
    before = json.loads(path.read_text(encoding="utf-8")) if there else {}
    kept = {stem: text for stem, text in before.items() if (folder / f"{stem}.svg").is_file()}
    text = json.dumps({**kept, **told}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    with writing(folder) as start:
        start(FILE).write(text)
