"""Checks of the entries of `plots:`; without matplotlib, since scenarios are checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from disttrack.simulator.claims.expression_checks import check_condition
from disttrack.simulator.claims.expressions import ExpressionError
from disttrack.simulator.errors import ScenarioError, accepted, nearest
from disttrack.simulator.points.registry import find, kinds, make
from disttrack.simulator.points.source import source_of


class AxisError(ValueError):
    """A plot along an axis that the scenario does not sweep."""

    def __init__(self, axis: str, message: str) -> None:
        super().__init__(message)
        self.axis = axis


def check_plot(
    request: Any,
    swept: Iterable[str] | None = None,
    *,
    called: Mapping[str, str] | None = None,
    folder: Path | None = None,
    maker: object = None,
) -> Any:
    """Return the plot that an entry of `plots:` asks for, a `simulator.plots.Plot`.

    Parameters
    ----------
    request
        A mapping such as ``{"kind": "cost", "x": "sites"}``, or a kind alone; a plot is returned as it is.
    swept
        The axes that the scenario sweeps; with it an `x` that is not among them is refused.
    called
        What a task calls columns of its own sizes, such as ``{"items": "steps"}``: `x` may be either.
    folder
        Where files of users' plots are looked for, before the current folder.
    maker
        The plot's class where it is known already.

    Raises
    ------
    ValueError
        In one line: what is wrong and what is accepted.
    """
    if isinstance(request, str):
        request = {"kind": request}
    if hasattr(request, "describe"):
        return request
    kind = request.get("kind") if isinstance(request, Mapping) else None
    if not isinstance(kind, str) or not kind:
        known = accepted([*kinds("plot"), "module:Class", "file.py:Class"])
        raise ValueError(f"a plot needs its kind, as in {{kind: cost, x: sites}} ({known}); got {request!r}")
    given = {str(key): value for key, value in request.items() if key != "kind" and value is not None}
    for key in ("x", "y", "where", "title"):
        if not isinstance(given.get(key, ""), str):
            raise ValueError(f"plot {kind!r}: {key} must be text; got {given[key]!r}")
    try:
        plot = make("plot", maker or find("plot", kind, source_of(kind, folder or Path.cwd()), folder), given)
    except ScenarioError as error:
        raise ValueError(f"plot {kind!r}: {error}") from error
    for key in ("where", "over"):
        try:
            if isinstance(given.get(key), str) and given[key]:
                check_condition(given[key])
        except ExpressionError as error:
            raise ValueError(f"plot {kind!r}: {key}: {error}") from error
    names = called or {}
    axes = [names.get(axis, axis) for axis in swept or () if axis not in ("protocol", "adversary")]
    axis = given.get("x", "")
    if axis and swept is not None and names.get(axis, axis) not in axes:
        raise AxisError(axis, f"plot {kind!r}: {_no_axis(axis, axes)}")
    return plot


def _no_axis(axis: str, axes: Sequence[str]) -> str:
    """Return the message on an `x` that is not among the axes."""
    known = ", ".join(axes) or "nothing is swept: a list makes a sweep"
    if axis in ("protocol", "adversary"):
        known = f"{', '.join(axes) or 'no key with a number'}; each {axis} has a line of its own"
    return f"x must be an axis that the scenario sweeps ({known}); got {axis!r}{nearest(axis, axes)}"
