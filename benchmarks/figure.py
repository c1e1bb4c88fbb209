"""The figure of the suite: time against items and against sites."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from benchmarks.scaling import ALPHA, ITEMS_A_SITE, SITES, Point, exponents
from simulator.plots.labels import EndLabel, label_ends
from simulator.plots.style import house_style, ink, mark, new_figure, save

_BASELINES: Final[dict[str, tuple[str, str]]] = {
    "(a) naive SimPy": ("#777777", "x"),
    "(b) compiled loop": ("#777777", "+"),
}
_DASHES: Final[dict[str, Any]] = {"step": (0, (1.2, 1.2)), "leap": (0, (5, 1.5)), "bulk": "-"}
_AXES: Final = {
    "items": f"items, N (k = {SITES:,} sites)",
    "sites": f"sites, k (one e-fold, from {ITEMS_A_SITE:,} items a site)",
}


def draw(points: list[Point], stem: Path) -> list[Path]:
    """Draw both panels and write them; return the paths."""
    fitted = exponents(points)
    with house_style():
        figure = new_figure(
            3.6, "A game costs its messages, not its items", f"seconds a game · round-robin · alpha = {ALPHA}",
            "Medians. Beside each line: the power of N or k that its time follows, fitted from 0.01 s on. "
            "A line ends where a run would take too long.", width=11.0,
        )  # fmt: skip
        axes = figure.subplots(1, 2)
        labels = []
        for one, (against, title) in zip(axes, _AXES.items(), strict=True):
            one.set(xscale="log", yscale="log", xlabel=title)
            lines = dict.fromkeys(point.line for point in points if point.against == against)
            for name in lines:
                line = [point for point in points if (point.against, point.line) == (against, name)]
                colour, marker, dashes = _look(name)
                x, t = [point.x for point in line], [point.seconds for point in line]
                one.plot(x, t, color=colour, marker=marker, linestyle=dashes)
                power = fitted.get((against, name))
                law = "" if power is None else rf"  $\propto {'N' if against == 'items' else 'k'}^{{{power:.2f}}}$"
                labels.append(EndLabel(one, x[-1], t[-1], name + law, ink(colour)))
        axes[0].set_ylabel("seconds")
        label_ends(figure, labels)
        return save(figure, stem)


def _look(name: str) -> tuple[str, str, Any]:
    if name in _BASELINES:
        return *_BASELINES[name], ":"
    engine, protocol = name.split(", ")
    look = mark(protocol)
    return look.colour, look.marker, _DASHES[engine]
