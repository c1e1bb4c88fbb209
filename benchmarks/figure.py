"""The figure of the suite: time against items and against sites."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from matplotlib.lines import Line2D

from benchmarks.scaling import ALPHA, ITEMS_A_SITE, SITES, Point, exponents
from disttrack.simulator.plots.marks import mark
from disttrack.simulator.plots.style import house_style, new_figure, save

_BASELINES: Final[dict[str, tuple[str, str]]] = {
    "(a) naive SimPy": ("#777777", "x"),
    "(b) compiled loop": ("#777777", "+"),
}
_DASHES: Final[dict[str, Any]] = {"step": (0, (1.2, 1.2)), "leap": (0, (5, 1.5)), "bulk": "-"}
_FILLS: Final = {"step": "left", "leap": "none"}
_AXES: Final = {
    "items": f"items, N (k = {SITES:,} sites)",
    "sites": f"sites, k (one e-fold, from {ITEMS_A_SITE:,} items a site)",
}


def draw(points: list[Point], stem: Path) -> list[Path]:
    """Draw both panels and write them; return the paths."""
    fitted = exponents(points)
    names = list(dict.fromkeys(point.line for point in points))
    with house_style():
        entries = [(_handle(name), name + _law(name, fitted)) for name in names]
        figure = new_figure(
            3.6, "A game costs its messages, not its items", f"seconds a game · round-robin · alpha = {ALPHA}",
            "Medians. The powers of N and k that the time follows are fitted from 0.01 s on. "
            "A line ends where a run would take too long.", width=11.0, legend=entries,
        )  # fmt: skip
        axes = figure.subplots(1, 2)
        for one, (against, title) in zip(axes, _AXES.items(), strict=True):
            one.set(xscale="log", yscale="log", xlabel=title)
            for name in names:
                line = [point for point in points if (point.against, point.line) == (against, name)]
                handle = _handle(name)
                handle.set_data([point.x for point in line], [point.seconds for point in line])
                one.add_line(handle)
            one.autoscale_view()
        axes[0].set_ylabel("seconds")
        return save(figure, stem)


def _handle(name: str) -> Line2D:
    """Return a line in the style of its name, without points."""
    colour, marker, dashes = _look(name)
    fill: Any = _FILLS.get(name.split(",")[0], "full")
    return Line2D([], [], color=colour, marker=marker, linestyle=dashes, fillstyle=fill)


def _law(name: str, fitted: dict[tuple[str, str], float]) -> str:
    """Return the fitted powers of N and k, as text."""
    powers = [
        f"${letter}^{{{fitted[against, name]:.2f}}}$"
        for against, letter in (("items", "N"), ("sites", "k"))
        if (against, name) in fitted
    ]
    return ":  " + ", ".join(powers) if powers else ""


def _look(name: str) -> tuple[str, str, Any]:
    if name in _BASELINES:
        return *_BASELINES[name], ":"
    engine, protocol = name.split(", ")
    look = mark(protocol)
    return look.colour, look.marker, _DASHES[engine]
