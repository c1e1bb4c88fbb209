"""What the series of a figure are called: by their own label, by the legend, by what they look like."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from simulator.plots.interactive.looks import colour, dash, plain

Look = tuple[str, str, str]
"""Colour, mark or hatch, dashes."""

ROLES: Final = {
    "failed": "fails",
    "bound": "bound",
    "game": "games",
    "below-scale": "below the scale",
    "above-scale": "infinite",
}
"""What an artist that has no label of its own is of the series of its colour, by its gid."""


class Names:
    """Names of the series of a figure.

    Parameters
    ----------
    figure
        The figure, with its legends.
    """

    def __init__(self, figure: Figure) -> None:
        self.by_look: dict[Look, str] = {}
        self.by_colour: dict[str, set[str]] = {}
        for one in figure.axes:
            for artist in (*one.lines, *one.containers, *one.collections):
                if own := _own(artist):
                    self._enter(look(artist), own)
        for legend in _legends(figure):
            for handle, said in zip(legend.legend_handles, legend.get_texts(), strict=True):
                self._enter(look(handle), plain(said.get_text()))

    def _enter(self, shown: Look, name: str) -> None:
        self.by_look.setdefault(shown, name)
        self.by_colour.setdefault(shown[0], set()).add(name)

    def of(self, artist: Any) -> tuple[str, str]:
        """Return the name of an artist's series and what it is of it: empty for the series itself.

        Both are empty where nothing is known of it.
        """
        role = str(artist.get_gid() or "") if hasattr(artist, "get_gid") else ""
        if own := _own(artist):
            return own, ROLES.get(role, "")
        shown = look(artist)
        if shown in self.by_look and not role:
            return self.by_look[shown], ""
        alike = self.by_colour.get(shown[0], set())
        if len(alike) == 1:
            return next(iter(alike)), ROLES.get(role, role)
        return (self.by_look[shown], "") if shown in self.by_look else (ROLES.get(role, role), "")


def _own(artist: Any) -> str:
    """Return the label that an artist was given; matplotlib's own begin with an underscore."""
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else plain(label)


def _legends(figure: Figure) -> list[Legend]:
    inside = [axes.get_legend() for axes in figure.axes if isinstance(axes, Axes)]
    return [*figure.legends, *(legend for legend in inside if legend is not None)]


def look(artist: Any) -> Look:
    """Return what an artist looks like; its opacity does not count."""
    if isinstance(artist, Container):
        parts = [part for part in artist if part is not None]
        return look(parts[0]) if parts else ("", "", "")
    if isinstance(artist, Line2D):
        mark = str(artist.get_marker())
        return colour(artist.get_color(), 1.0), "" if mark in ("None", "none", " ") else mark, dash(artist)
    if isinstance(artist, tuple | list):
        parts = list(artist)[:1]
        return look(parts[0]) if parts else ("", "", "")
    faces: Any = getattr(artist, "get_facecolor", tuple)()
    face = faces[0] if len(faces) and not isinstance(faces, str) and getattr(faces, "ndim", 1) == 2 else faces
    hatch = str(getattr(artist, "get_hatch", lambda: "")() or "")
    return (colour(tuple(face), 1.0) if len(face) else "", hatch, "")
