"""Lines, points and error bars of a panel as traces."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D

from simulator.plots.edges import TRUE
from simulator.plots.interactive.looks import PIXELS, colour, dash, numbers, symbol, true_numbers

Trace = dict[str, Any]
Shape = dict[str, Any]

_STEPS: Final = {"steps-post": "hv", "steps-pre": "vh", "steps": "vh", "steps-mid": "hvh"}
_NONE: Final = ("None", "none", "", " ", None)


def line(axes: Axes, artist: Line2D) -> tuple[list[Trace], list[Shape]]:
    """Return a line: a trace, or a shape if it goes across the whole panel at one place, whatever the scale."""
    if not artist.get_visible() or not len(np.atleast_1d(artist.get_xdata())):
        return [], []
    in_x, in_y = artist.get_transform().contains_branch_seperately(axes.transData)
    if in_x and in_y:
        return [_trace(artist, artist.get_xdata(orig=False), artist.get_ydata(orig=False))], []
    if in_x or in_y:
        return [], [_across(artist, in_x)]
    # neither: a line given by a slope, or in other coordinates; where it is now is where it is drawn
    path = artist.get_transform().transform_path(artist.get_path()).vertices
    if artist.get_transform() == axes.transAxes:
        return [], [_shape(artist, artist.get_xdata(), artist.get_ydata(), "x domain", "y domain")]
    x, y = axes.transData.inverted().transform(path).T
    return [_trace(artist, x, y)], []


def _trace(artist: Line2D, x: Any, y: Any) -> Trace:
    drawn, marked = artist.get_linestyle() not in _NONE, artist.get_marker() not in _NONE
    alpha = artist.get_alpha()
    found: Trace = {
        "type": "scatter",
        "mode": "+".join([*["lines"] * drawn, *["markers"] * marked]) or "none",
        "x": numbers(x),
        "y": numbers(y),
        "opacity": 1 if alpha is None else float(alpha),
        "line": _stroke(artist),
    }
    if artist.get_drawstyle() in _STEPS:
        found["line"]["shape"] = _STEPS[artist.get_drawstyle()]
    if marked:
        found["marker"] = _mark(artist)
    if (true := getattr(artist, TRUE, None)) is not None:
        found["meta"] = {"true": true_numbers(true[0])}
    return found


def _stroke(artist: Line2D) -> dict[str, Any]:
    width = float(artist.get_linewidth()) * PIXELS
    return {"color": colour(artist.get_color()), "width": round(width, 2), "dash": dash(artist)}


def _mark(artist: Line2D) -> dict[str, Any]:
    """Return the marks of a line; one half filled is drawn light, one without filling white with its border."""
    name, fill = symbol(artist.get_marker()), artist.get_fillstyle()
    face, edge = artist.get_markerfacecolor(), artist.get_markeredgecolor()
    face = "white" if str(face) in _NONE or fill == "none" else face
    if fill in ("left", "right", "top", "bottom"):
        face = _lighter(face)
    size = float(artist.get_markersize()) * PIXELS * (0.5 if artist.get_marker() == "." else 1)
    width = float(artist.get_markeredgewidth()) * PIXELS
    return {
        "symbol": name,
        "size": round(size, 2),
        "color": colour(face),
        "line": {"color": colour(edge if str(edge) not in _NONE else face), "width": round(width, 2)},
    }


def _lighter(value: Any) -> str:
    """Return a colour half way to white: the mean of a mark whose one half is white."""
    from matplotlib.colors import to_rgb

    red, green, blue = (0.5 + 0.5 * part for part in to_rgb(value))
    return colour((red, green, blue))


def _across(artist: Line2D, in_x: bool) -> Shape:
    """Return a line across the panel: in data of one axis, in shares of the panel along the other."""
    xref, yref = ("x", "y domain") if in_x else ("x domain", "y")
    return _shape(artist, artist.get_xdata(orig=False), artist.get_ydata(orig=False), xref, yref)


def _shape(artist: Line2D, x: Any, y: Any, xref: str, yref: str) -> Shape:
    (x0, x1), (y0, y1) = ([numbers(part)[0] for part in (ends[:1], ends[-1:])] for ends in (list(x), list(y)))
    return {
        "type": "line", "xref": xref, "yref": yref, "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": _stroke(artist),
        "opacity": 1 if artist.get_alpha() is None else float(artist.get_alpha() or 0),
        "layer": "below" if artist.get_zorder() < 2 else "above",
    }  # fmt: skip


def error_bars(axes: Axes, drawn: ErrorbarContainer) -> tuple[list[Trace], set[Any]]:
    """Return points with their bars as one trace, and the artists that it stands for."""
    points, caps, bars = drawn.lines
    bars_of: Any = bars
    used: set[Any] = {*caps, *bars, *([points] if points is not None else [])}
    ends = [np.array([one[:2] for one in bar.get_segments() if len(one) == 2]) for bar in bars]
    directions = [name for name, there in (("x", drawn.has_xerr), ("y", drawn.has_yerr)) if there]
    if points is None:
        return [points_of_segments(bar) for bar in bars], used
    found = _trace(points, points.get_xdata(orig=False), points.get_ydata(orig=False))
    for direction, bar, both in zip(directions, bars_of, ends, strict=True):
        place = 0 if direction == "x" else 1
        at = np.asarray(points.get_xydata(), dtype=float)[:, place]
        if len(both) != len(at):  # some points have no bar
            continue
        found[f"error_{direction}"] = {
            "type": "data", "symmetric": False, "array": numbers(both[:, 1, place] - at),
            "arrayminus": numbers(at - both[:, 0, place]), "color": colour(bar.get_colors()[0]),
            "thickness": round(float(bar.get_linewidths()[0]) * PIXELS, 2), "width": 4 if caps else 0,
        }  # fmt: skip
    return [found], used


def points_of_segments(artist: Any) -> Trace:
    """Return separate line segments as one trace with gaps."""
    x: list[Any] = []
    y: list[Any] = []
    for segment in artist.get_segments():
        x += [*numbers(segment[:, 0]), None]
        y += [*numbers(segment[:, 1]), None]
    colours = artist.get_colors()
    stroke = {
        "color": colour(colours[0]) if len(colours) else "#000000",
        "width": round(float(np.atleast_1d(artist.get_linewidths())[0]) * PIXELS, 2),
    }
    return {"type": "scatter", "mode": "lines", "x": x[:-1], "y": y[:-1], "line": stroke, "connectgaps": False}


def points(artist: Any) -> Trace:
    """Return scattered points."""
    places: Any = np.ma.filled(np.ma.asarray(artist.get_offsets(), dtype=float), np.nan)
    artist.update_scalarmappable()
    faces, edges, sizes = artist.get_facecolors(), artist.get_edgecolors(), np.sqrt(artist.get_sizes()) * PIXELS
    chosen = faces if len(faces) else edges
    shades = [colour(face) for face in chosen] or ["#000000"]
    marker: dict[str, Any] = {
        "color": shades if len(shades) == len(places) and len(set(shades)) > 1 else shades[0],
        "size": [round(float(size), 2) for size in sizes]
        if len(sizes) == len(places) > 1
        else round(float(sizes[0]), 2),
    }
    if not len(faces):
        marker["symbol"] = "circle-open"
    return {
        "type": "scatter",
        "mode": "markers",
        "x": numbers(places[:, 0]),
        "y": numbers(places[:, 1]),
        "marker": marker,
    }
