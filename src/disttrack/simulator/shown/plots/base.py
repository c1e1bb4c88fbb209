"""The base class of plots, with which a scenario is checked, and a figure that has been drawn.

Light: a scenario is checked with the classes of its plots before anything runs, so nothing here imports matplotlib or
pandas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from disttrack.mechanisms.docstrings import inherit_parameters

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.read import Tables
    from disttrack.simulator.shown.plots.description import Description


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One figure that a scenario asks for. Its fields are the keys beside `kind` under `plots:`.

    A class implements `describe`, or `draw` with the same argument: it returns a matplotlib figure, of which a page
    shows the picture alone. A field called `x` is an axis that the scenario sweeps; a plot without one shows all points
    together.

    Parameters
    ----------
    where
        Which games, as a condition on the columns of trials.csv; empty for all.
    title
        Title of the figure; empty for what its axes show.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files, and beginning of the name of the figure's file."""
    narrow: ClassVar[bool] = True
    """Whether it can be read in one column of a paper."""
    of_columns: ClassVar[tuple[str, ...]] = ()
    """Keys whose texts name columns of trials.csv, several with commas between: unknown names are refused early."""

    where: str = ""
    title: str = field(default="", compare=False)

    def __init_subclass__(cls, **more: object) -> None:
        super().__init_subclass__(**more)
        inherit_parameters(cls)

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the columns of trials.csv, or other tables, without which it cannot be drawn."""
        return ()

    def describe(self, tables: Tables) -> Description:
        """Return the content of the figure, as data.

        Parameters
        ----------
        tables
            The games that meet `where`, with their timelines and messages.

        Raises
        ------
        ValueError
            The tables lack something; one line names it.
        """
        raise ValueError(f"{type(self).__name__} has neither describe(tables) nor draw(tables)")

    @property
    def name(self) -> str:
        """Return the file's name without its ending: kind, axis, and other texts that differ from defaults."""
        parts = [self.kind or type(self).__name__]
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name not in ("where", "title", "over") and isinstance(value, str) and value != each.default:
                parts.append(value)
        return "-".join(part.replace("/", "-") for part in parts if part)


def brief(caption: str) -> str:
    """Return what a figure shows, for the line below it; with its numbers the caption is the alternative text.

    >>> brief("Words against number of sites, k: robust (125,848 to 3,800,000). Fixed: α 0.01.")
    'Words against number of sites, k.'
    """
    return re.split(r"[:.] ", caption, maxsplit=1)[0].rstrip(".") + "."


@dataclass(frozen=True)
class Picture:
    """A figure that has been drawn.

    Attributes
    ----------
    name
        Its file's name without the ending.
    path
        Its SVG file, with the PNG beside it.
    caption
        Its content in plain text.
    described
        Its description; None if the plot draws by itself.
    svg
        The text of its SVG file if this process has drawn it from a description; empty for any other file.
    """

    name: str
    path: Path
    caption: str
    described: Description | None = None
    svg: str = ""
