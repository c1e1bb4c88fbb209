"""Bands, bars, spans, heat maps and other filled things of a panel."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PolyCollection, QuadMesh
from matplotlib.colors import LogNorm, Normalize
from matplotlib.container import BarContainer
from matplotlib.image import AxesImage
from matplotlib.patches import Patch, Rectangle

from simulator.plots.edges import TRUE
from simulator.plots.interactive.lines import Shape, Trace
from simulator.plots.interactive.looks import PIXELS, colour, numbers, true_numbers

_HATCHES: Final = {
    "/": "/",
    "\\": "\\",
    "x": "x",
    "X": "x",
    ".": ".",
    "o": ".",
    "O": ".",
    "*": ".",
    "-": "-",
    "|": "|",
    "+": "+",
}
_SHADES: Final = 32
"""Steps in which a colour scale is handed over."""


def band(artist: PolyCollection) -> list[Trace]:
    """Return an area between two curves as one trace, with its lower and upper ends beside it where it has them."""
    found = []
    for path in artist.get_paths():
        vertices = np.asarray(path.vertices, dtype=float)
        trace: Trace = {"type": "scatter", "mode": "lines", "fill": "toself", "hoverinfo": "skip"} | _filled(artist)
        ends = between(vertices)
        if ends is None:
            trace |= {"x": numbers(vertices[:, 0]), "y": numbers(vertices[:, 1])}
        else:
            x, low, high = ends
            trace |= {"x": numbers(np.r_[x, x[::-1]]), "y": numbers(np.r_[low, high[::-1]])}
            low, high = getattr(artist, TRUE, None) or (low, high)
            trace["meta"] = {"ends": [numbers(x), true_numbers(low), true_numbers(high)]}
        found.append(trace)
    return found


def between(vertices: Any) -> tuple[Any, Any, Any] | None:
    """Return places, lower and upper ends of the outline that `fill_between` makes; None if it is another one.

    The outline goes from the upper (or lower) end of the first place along one curve to the last place, and back along
    the other; each curve's own points stand at the same places.
    """
    closed = vertices[:-1] if len(vertices) > 2 and np.array_equal(vertices[0], vertices[-1]) else vertices
    half, odd = divmod(len(closed), 2)
    if odd or half < 2:
        return None
    # fill_between begins with an extra point, and has another one between its two curves
    there, back = closed[1:half], closed[half + 1 :][::-1]
    if len(there) != len(back) or not np.array_equal(there[:, 0], back[:, 0]):
        return None
    return there[:, 0], np.minimum(there[:, 1], back[:, 1]), np.maximum(there[:, 1], back[:, 1])


def _filled(artist: Any) -> dict[str, Any]:
    faces, edges = artist.get_facecolor(), artist.get_edgecolor()
    widths = np.atleast_1d(artist.get_linewidth())
    face = faces[0] if len(faces) else "none"
    width = float(widths[0]) * PIXELS if len(widths) and len(edges) else 0.0
    return {
        "fillcolor": colour(face),
        "line": {"color": colour(edges[0]) if len(edges) else colour("none"), "width": round(width, 2)},
    }


def polygons(axes: Axes, artist: Collection | Patch) -> list[Trace]:
    """Return the outlines of anything else that is filled, in data units."""
    if isinstance(artist, Patch):
        path = artist.get_patch_transform().transform_path(artist.get_path())
        if artist.get_data_transform() != axes.transData:
            shown = artist.get_data_transform().transform_path(path)
            path = axes.transData.inverted().transform_path(shown)
        rings: list[Any] = [np.asarray(ring) for ring in path.to_polygons()]
        looks: Any = {
            "fillcolor": colour(artist.get_facecolor()) if artist.get_fill() else colour("none"),
            "line": {"color": colour(artist.get_edgecolor()), "width": round(artist.get_linewidth() * PIXELS, 2)},
        }
    else:
        shift = artist.get_transform()
        rings = [
            np.asarray(ring)
            for path in artist.get_paths()
            for ring in axes.transData.inverted().transform_path(shift.transform_path(path)).to_polygons()
        ]
        looks = _filled(artist)
    x: list[Any] = []
    y: list[Any] = []
    for ring in rings:
        x += [*numbers(ring[:, 0]), None]
        y += [*numbers(ring[:, 1]), None]
    return [{"type": "scatter", "mode": "lines", "fill": "toself", "x": x[:-1], "y": y[:-1], **looks}] if x else []


def bars(drawn: BarContainer) -> Trace:
    """Return bars that belong together; each knows where it begins."""
    flat = drawn.orientation == "horizontal"
    parts = list(drawn.patches)
    edge = [(part.get_x(), part.get_y(), part.get_width(), part.get_height()) for part in parts]
    x, y, width, height = (np.array(column, dtype=float) for column in zip(*edge, strict=True))
    first = parts[0]
    hatch = str(first.get_hatch() or "")
    marker: dict[str, Any] = {
        "color": colour(first.get_facecolor()),
        "line": {"color": colour(first.get_edgecolor()), "width": round(first.get_linewidth() * PIXELS, 2)},
    }
    if shape := _HATCHES.get(hatch[:1]):
        marker["pattern"] = {"shape": shape, "fgcolor": "#ffffff", "fillmode": "overlay", "size": 8, "solidity": 0.25}
    found: Trace = {"type": "bar", "orientation": "h" if flat else "v", "marker": marker}
    if flat:
        return found | {"x": numbers(width), "base": numbers(x), "y": numbers(y + height / 2), "width": numbers(height)}
    return found | {"y": numbers(height), "base": numbers(y), "x": numbers(x + width / 2), "width": numbers(width)}


def span(axes: Axes, artist: Patch) -> Shape | None:
    """Return a rectangle that spans the panel in one direction, or stands alone in it; None for any other patch."""
    in_x, in_y = artist.get_transform().contains_branch_seperately(axes.transData)
    corners = np.asarray(artist.get_path().vertices)
    if isinstance(artist, Rectangle):
        x0, y0 = artist.get_xy()
        x1, y1 = x0 + artist.get_width(), y0 + artist.get_height()
    elif in_x != in_y:  # spans of older matplotlib are polygons
        (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    else:
        return None
    if not (in_x or in_y) and artist.get_transform() != axes.transAxes:
        return None
    ends = dict(zip(("x0", "x1", "y0", "y1"), numbers([x0, x1, y0, y1]), strict=True))
    return {
        "type": "rect", "xref": "x" if in_x else "x domain", "yref": "y" if in_y else "y domain", **ends,
        "fillcolor": colour(artist.get_facecolor()) if artist.get_fill() else colour("none"),
        "line": {"color": colour(artist.get_edgecolor()), "width": round(artist.get_linewidth() * PIXELS, 2)},
        "layer": "below" if artist.get_zorder() < 2 else "above",
    }  # fmt: skip


def image(artist: AxesImage) -> Trace | None:
    """Return an image of numbers as a heat map; one of colours has no numbers and is None."""
    array = artist.get_array()
    if array is None or np.ndim(array) != 2:
        return None
    values: Any = np.ma.filled(np.ma.asarray(array, dtype=float), np.nan)
    left, right, bottom, top = artist.get_extent()
    rows, columns = values.shape
    down = artist.origin == "upper"
    step_x, step_y = (right - left) / columns, (top - bottom) / rows
    x = left + step_x * (np.arange(columns) + 0.5)
    y = bottom + step_y * (np.arange(rows) + 0.5)
    return _heat(artist, values[::-1] if down else values, x, y)


def mesh(artist: QuadMesh) -> Trace | None:
    """Return a mesh of numbers as a heat map, its cells given by their edges; None if its cells are not in rows."""
    places = np.asarray(artist.get_coordinates(), dtype=float)
    x, y = places[0, :, 0], places[:, 0, 1]
    if not (np.all(places[:, :, 0] == x) and np.all(places[:, :, 1] == y[:, None])):
        return None
    values: Any = np.ma.filled(np.ma.asarray(artist.get_array(), dtype=float), np.nan)
    return _heat(artist, values.reshape(len(y) - 1, len(x) - 1), x, y)


def _heat(artist: Any, values: Any, x: Any, y: Any) -> Trace:
    """Return the trace; where the scale of colours is no straight one, its shades stand at the values they are for."""
    norm: Normalize = artist.norm
    shares = np.linspace(0, 1, _SHADES + 1)
    low, high = float(norm.vmin or 0), float(1 if norm.vmax is None else norm.vmax)
    if type(norm) is Normalize or high == low:
        at = shares
    else:  # shares of the straight scale at which the norm reaches each shade
        at = np.clip((np.asarray(norm.inverse(shares), dtype=float) - low) / (high - low), 0, 1)
        at[0], at[-1] = 0.0, 1.0
    shades = [[round(float(place), 6), colour(artist.cmap(share))] for place, share in zip(at, shares, strict=True)]
    return {
        "type": "heatmap", "x": numbers(x), "y": numbers(y), "z": [numbers(row) for row in values], "zmin": low,
        "zmax": high, "colorscale": shades, "showscale": False, "hoverongaps": False,
        "meta": {"logarithmic": isinstance(norm, LogNorm)},
    }  # fmt: skip
