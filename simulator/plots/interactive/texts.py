"""Words in a panel as annotations: labels at ends of lines, words in cells, arrows."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text

from simulator.plots.interactive.looks import PIXELS, colour, numbers, text

_SIDES: Final = {"left": "left", "right": "right", "center": "center"}
_HEIGHTS: Final = {
    "top": "top",
    "bottom": "bottom",
    "center": "middle",
    "baseline": "bottom",
    "center_baseline": "middle",
}


def annotation(axes: Axes, artist: Text) -> dict[str, Any] | None:
    """Return a text of a panel, or an arrow; None if there is nothing to show or its place is no place of the panel."""
    if not artist.get_visible() or not (artist.get_text().strip() or isinstance(artist, Annotation)):
        return None
    shown: dict[str, Any] = {
        "text": text(artist.get_text()),
        "showarrow": False,
        "font": {"color": colour(artist.get_color()), "size": round(float(artist.get_fontsize()) * PIXELS, 1)},
        "xanchor": _SIDES.get(artist.get_horizontalalignment(), "center"),
        "yanchor": _HEIGHTS.get(artist.get_verticalalignment(), "middle"),
        "align": _SIDES.get(artist.get_horizontalalignment(), "center"),
        "borderpad": 0,
    }
    if angle := float(artist.get_rotation()):
        shown["textangle"] = -angle
    if isinstance(artist, Annotation):
        return _noted(artist, shown)
    in_x, in_y = artist.get_transform().contains_branch_seperately(axes.transData)
    place = _place(artist.get_position(), in_x, in_y)
    if not (in_x or in_y) and artist.get_transform() != axes.transAxes:
        return None
    return shown | place


def _place(at: Any, in_x: bool, in_y: bool) -> dict[str, Any]:
    x, y = numbers([at[0], at[1]])
    return {"x": x, "y": y, "xref": "x" if in_x else "x domain", "yref": "y" if in_y else "y domain"}


def _noted(artist: Annotation, shown: dict[str, Any]) -> dict[str, Any] | None:
    """Return a text beside a place, moved by points; with an arrow to the place if it has one."""
    where = artist.xycoords
    if where not in ("data", "axes fraction"):
        return None
    shown |= _place(artist.xy, where == "data", where == "data")
    offset = artist.get_position() if artist.anncoords in ("offset points", "offset pixels") else None
    unit = PIXELS if artist.anncoords == "offset points" else 1.0
    if offset is None:
        if artist.arrow_patch is None:  # the text stands elsewhere than what it speaks of
            shown |= _place(artist.get_position(), artist.anncoords == "data", artist.anncoords == "data")
        return shown if artist.get_text().strip() else None
    right, up = (round(float(part) * unit, 2) for part in offset)
    if artist.arrow_patch is not None:
        shown |= {"showarrow": True, "arrowhead": 0, "arrowwidth": 0.8, "ax": right, "ay": -up}
        shown["arrowcolor"] = colour(artist.arrow_patch.get_edgecolor())
    else:
        shown |= {"xshift": right, "yshift": up}
    return shown
