"""`results.plot`: every kind of figure as a method, on axes of its own or the user's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from disttrack.mechanisms.docstrings import with_parameters
from disttrack.simulator.displays import display
from disttrack.simulator.errors import ScenarioError, explained, no_such
from disttrack.simulator.kinds.registry import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes


AX: Final = "Axes to draw on, or a list; else a new figure."
Draw = Callable[..., Any]
"""The method of a kind: it draws the figure and returns its axes."""


class Plotter:
    """Draws the figures of a result: `results.plot.cost(x="sites")`, `results.plot("cost")`.

    Each kind of figure is a method. Its arguments are the keys of the kind under ``plots:`` in a scenario, of which `x`
    may come first without its name, and `ax`: axes to draw on, a list of them for a figure of several panels. It
    returns the axes drawn on. A figure that needs an axis `x` and is given none has the first one that the scenario
    sweeps.

    Parameters
    ----------
    results
        What is drawn.
    """

    # for editors and type checkers; `__getattr__` makes them
    cost: Draw
    error: Draw
    measure: Draw
    timeline: Draw
    breakdown: Draw
    frontier: Draw
    matrix: Draw
    spread: Draw

    def __init__(self, results: object) -> None:
        self._results = results

    @explained(name="plot")
    def __call__(self, kind: str, *, ax: Axes | Sequence[Axes] | None = None, **options: object) -> Any:
        """Draw a figure of this kind, a registered name or a class by reference; return its axes."""
        return display("results.axes")(self._results, {"kind": kind, **options}, ax)

    if not TYPE_CHECKING:  # a checker refuses other names; those that packages register are drawn by a call

        def __getattr__(self, name: str) -> Draw:
            known = _kinds()
            if name.startswith("_") or name not in known:
                raise AttributeError(no_such("figure", name, known))
            return _method(self, name, known[name])

    def __dir__(self) -> list[str]:
        return sorted(_kinds())

    def __repr__(self) -> str:
        return f"{self._results!r}.plot: {', '.join(sorted(_kinds()))}"


def _kinds() -> dict[str, str]:
    """Return the kinds of figures by their names as attributes."""
    return {name.replace("-", "_"): name for name in kinds("plot")}


def _method(plotter: Plotter, name: str, kind: str) -> Draw:
    """Return a function that draws a kind, with the signature and the docstring of its class."""

    def drawn(*x: str, **options: Any) -> Any:
        if len(x) > 1 or (x and "x" in options):
            raise TypeError(f"{name}: only x needs no name; got {', '.join(map(repr, x))}")
        return plotter(kind, **({"x": x[0], **options} if x else options))

    with suppress(ScenarioError):  # of a class that cannot be loaded: the call states why
        maker = kinds("plot")[kind].load()
        doc = with_parameters(inspect.getdoc(maker) or "", {"ax": AX})
        drawn.__name__, drawn.__doc__ = name, f"{doc}\n\nReturns\n-------\nThe axes drawn on, one for each panel."
        signature = inspect.signature(maker)
        taken = [one.replace(kind=one.KEYWORD_ONLY) for one in signature.parameters.values() if one.name != "x"]
        x = [one.replace(kind=one.POSITIONAL_OR_KEYWORD) for one in signature.parameters.values() if one.name == "x"]
        ax = inspect.Parameter("ax", inspect.Parameter.KEYWORD_ONLY, default=None)
        asked = [*x, ax, *taken]
        drawn.__signature__ = signature.replace(parameters=asked, return_annotation=inspect.Signature.empty)  # type: ignore[attr-defined]
    return drawn
