"""`results.plot`: every kind of figure as a method, on axes of its own or the user's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.points.registry import kinds, parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from disttrack.simulator.results.folder import Results


class Plotter:
    """Draws the figures of a result: `results.plot.cost(x="sites")`, `results.plot("cost")`.

    Each kind of figure is a method. It takes the keys that stand beside the kind under ``plots:`` in a scenario, and
    `ax`: axes to draw on, a list of them for a figure of several panels. It returns the axes drawn on. Where a figure
    needs an axis `x` and none is named, it is the first that the scenario sweeps.

    Parameters
    ----------
    results
        What is drawn.
    """

    def __init__(self, results: Results) -> None:
        self._results = results

    def __call__(self, kind: str, *, ax: Axes | Sequence[Axes] | None = None, **options: Any) -> Any:
        """Draw a figure of this kind, a registered name or a class by reference; return its axes."""
        from disttrack.simulator.plots.figures import axes_of

        return axes_of(self._results, {"kind": kind, **options}, ax)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        known = _kinds()
        if name.startswith("_") or name not in known:
            raise AttributeError(f"there is no figure {name!r}{nearest(name, known)} ({accepted(known)})")
        return _method(self, name, known[name])

    def __dir__(self) -> list[str]:
        return sorted(_kinds())

    def __repr__(self) -> str:
        return f"{self._results!r}.plot: {', '.join(sorted(_kinds()))}"


def _kinds() -> dict[str, str]:
    """Return the kinds of figures by their names as attributes."""
    return {name.replace("-", "_"): name for name in kinds("plot")}


def _method(plotter: Plotter, name: str, kind: str) -> Callable[..., Any]:
    """Return a function that draws a kind, with its keys as a signature and its class's words as help."""

    def drawn(**options: Any) -> Any:
        return plotter(kind, **options)

    try:
        maker = kinds("plot")[kind].load()
    except ScenarioError:
        return drawn  # a class that cannot be loaded: the call says why
    taken = {"ax": None, **parameters(maker)}
    if taken.get("x") is MISSING:
        taken["x"] = None  # the first axis that is swept
    empty = inspect.Parameter.empty
    drawn.__name__, drawn.__doc__ = name, inspect.getdoc(maker)
    drawn.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=empty if default is MISSING else default)
            for key, default in taken.items()
        ]
    )
    return drawn
