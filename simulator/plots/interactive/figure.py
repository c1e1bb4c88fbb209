"""A whole figure: its panels side by side, every artist of theirs as a trace, a shape or an annotation."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import log10
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text

from simulator.plots.interactive.areas import band, bars, image, mesh, polygons, span
from simulator.plots.interactive.layout import Panel, panels_of, placed
from simulator.plots.interactive.lines import Shape, Trace, error_bars, line, points, points_of_segments
from simulator.plots.interactive.looks import colour, plain, text
from simulator.plots.interactive.names import Names
from simulator.plots.interactive.scales import Unsupported
from simulator.plots.interactive.series import known, merged, numbered, told, with_ranges
from simulator.plots.interactive.texts import annotation
from simulator.plots.style import lay_out

__all__ = ["Interactive", "Unsupported", "interactive"]


@dataclass(frozen=True)
class Interactive:
    """What plotly needs to show a figure, and what the page says and does with it.

    Attributes
    ----------
    data, layout
        In plotly's words. Every trace has under `meta` its series by name, its panel, and what it is of the series.
    panels
        Where the panels stand, and what their axes are called.
    title, subtitle, note
        What stands above and below the figure, as plain text.
    """

    data: list[Trace]
    layout: dict[str, Any]
    panels: list[Panel]
    title: str = ""
    subtitle: str = ""
    note: str = ""

    def values(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


@dataclass
class _Drawn:
    """What a panel shows, as it is collected."""

    traces: list[tuple[Trace, str, str]] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)


def interactive(figure: Figure) -> Interactive:
    """Return a figure as an interactive one, with the values of its artists.

    Raises
    ------
    Unsupported
        It has something that cannot be shown: a panel that is not flat, a scale of its own.
    """
    lay_out(figure)
    names = Names(figure)
    panels = panels_of(figure)
    data: list[Trace] = []
    layout: dict[str, Any] = {"shapes": [], "annotations": [], "barmode": "overlay", "showlegend": False}
    for panel, axes in panels:
        drawn = _drawn(axes, names)
        data += [known(trace, name, role, panel) for trace, name, role in drawn.traces]
        layout["shapes"] += [_referred(shape, panel) for shape in drawn.shapes]
        notes = [_on_scale(_referred(note, panel), axes) for note in drawn.notes]
        layout["annotations"] += [note for note in notes if note is not None]
        if panel.title:
            layout["annotations"].append(_heading(panel, axes))
    layout |= placed([panel for panel, _ in panels], [axes for _, axes in panels])
    numbered(data)
    by_number = {panel.number: panel for panel, _ in panels}
    for trace in data:
        told(trace, by_number[trace["meta"]["number"]])
    said = {str(part.get_gid()): plain(part.get_text()) for part in figure.texts if part.get_gid()}
    title = said.get("title", "") or plain(figure.get_suptitle())
    return Interactive(
        data, layout, [panel for panel, _ in panels], title, said.get("subtitle", ""), said.get("note", "")
    )


def _drawn(axes: Axes, names: Names) -> _Drawn:
    """Return what a panel shows, from behind to the front."""
    found, done = _Drawn(), set[Any]()
    for container in axes.containers:
        if isinstance(container, ErrorbarContainer):
            traces, used = error_bars(axes, container)
            found.traces += [(trace, *names.of(container)) for trace in traces]
            done |= used
        elif isinstance(container, BarContainer) and container.patches:
            found.traces.append((bars(container), *names.of(container)))
            done |= set(container.patches)
            if container.errorbar is not None:
                done |= {container.errorbar}
    artists = [*axes.images, *axes.patches, *axes.collections, *axes.lines]
    for artist in sorted(artists, key=lambda one: one.get_zorder()):
        if artist not in done and artist.get_visible():
            traces, shapes = _of(axes, artist)
            name, role = names.of(artist)
            found.traces += [(trace, name, role) for trace in traces]
            found.shapes += shapes
    for said in axes.texts:
        if isinstance(said, Text) and (note := annotation(axes, said)) is not None:
            found.notes.append(note)
    found.traces = merged(with_ranges(found.traces))
    return found


def _of(axes: Axes, artist: Any) -> tuple[list[Trace], list[Shape]]:
    """Return one artist as traces or shapes."""
    if artist in axes.lines:
        return line(axes, artist)
    if artist in axes.images:
        made = image(artist)
    elif artist in axes.patches:
        shape = span(axes, artist)
        return ([], [shape]) if shape is not None else (polygons(axes, artist), [])
    elif isinstance(artist, PathCollection):
        made = points(artist)
    elif isinstance(artist, LineCollection):
        made = points_of_segments(artist)
    elif isinstance(artist, QuadMesh):
        made = mesh(artist)
    elif isinstance(artist, PolyCollection):
        return band(artist), []
    else:
        return polygons(axes, artist), []
    if made is None:
        raise Unsupported(f"a {type(artist).__name__}")
    return [made], []


def _referred(part: dict[str, Any], panel: Panel) -> dict[str, Any]:
    """Return a shape or an annotation that refers to the axes of its panel."""
    return part | {f"{which}ref": part[f"{which}ref"].replace(which, panel.axis(which), 1) for which in ("x", "y")}


def _on_scale(note: dict[str, Any], axes: Axes) -> dict[str, Any] | None:
    """Return an annotation in the units of its axes: on a logarithmic one its logarithm, none at what has none."""
    for which, kind in (("x", axes.get_xscale()), ("y", axes.get_yscale())):
        if kind == "log" and "domain" not in note[f"{which}ref"]:
            if not note[which] or note[which] <= 0:
                return None
            note[which] = log10(note[which])
    return note


def _heading(panel: Panel, axes: Axes) -> dict[str, Any]:
    """Return the title of a panel, above it on the left."""
    above = axes.xaxis.get_tick_params().get("labeltop", False)
    return {
        "text": text(next(filter(None, (axes.get_title(loc=side) for side in ("left", "center", "right"))), "")),
        "name": "heading", "showarrow": False, "align": "left", "x": 0, "xref": f"{panel.axis('x')} domain", "y": 1,
        "yref": f"{panel.axis('y')} domain", "xanchor": "left", "yanchor": "bottom", "yshift": 30 if above else 4,
        "font": {"size": 13, "color": colour("#222222")},
    }  # fmt: skip
