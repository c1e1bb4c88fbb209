"""What may stand under `plots:` in a scenario. Light: scenarios are checked with it before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError, nearest
from disttrack.simulator.points.registry import check_extends, find, kinds, label, make, parameters
from disttrack.simulator.points.source import source_of

_USUAL_AXES: Final = ("sites", "items", "alpha", "start")
_SIDES: Final = ("protocol", "adversary")
_TEXTS: Final = ("x", "y", "where", "title")
"""Keys that mean the same in every plot that has them, and hold texts."""


def check_plot(
    request: Any,
    swept: Iterable[str] | None = None,
    *,
    called: Mapping[str, str] | None = None,
    folder: Path | None = None,
    maker: Any = None,
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
        Where files of plots of one's own are looked for, before the current folder.
    maker
        The plot's class where it is known already.

    Raises
    ------
    ValueError
        In one line: what is wrong and what is accepted.
    """
    if isinstance(request, str):
        request = {"kind": request}
    if not isinstance(request, Mapping):
        if hasattr(request, "draw"):
            return request
        raise ValueError(f"a plot must be a mapping such as {{kind: cost, x: sites}}; got {request!r}")
    kind = request.get("kind")
    if not isinstance(kind, str) or not kind:
        raise ValueError(f"a plot needs its kind ({', '.join(kinds('plot'))}, module:Class, file.py:Class)")
    try:
        maker = maker or find("plot", kind, source_of(kind, folder or Path.cwd()), folder)
        check_extends("plot", maker)
    except ScenarioError as error:
        raise ValueError(str(error)) from error
    name = label("plot", kind, maker)
    given = {str(key): value for key, value in request.items() if key != "kind" and value is not None}
    _check_keys(name, maker, given, swept, called or {})
    try:
        return make("plot", maker, given)
    except ScenarioError as error:
        raise ValueError(f"plot {name!r}: {error}") from error


def _check_keys(
    name: str, maker: Any, given: Mapping[str, Any], swept: Iterable[str] | None, called: Mapping[str, str]
) -> None:
    """Raise ValueError unless these keys are texts where texts are wanted, and name an axis that there is."""
    taken = parameters(maker)
    for key in _TEXTS:
        if key in taken and not isinstance(given.get(key, ""), str):
            raise ValueError(f"plot {name!r}: {key} must be text; got {given[key]!r}")
    if given.get("where"):
        _check_condition(name, given["where"])
    axes = None if swept is None else tuple(called.get(axis, axis) for axis in swept if axis not in _SIDES)
    if "x" in taken:
        _check_axis(name, given.get("x", ""), taken["x"] is MISSING, axes, called)
    if taken.get("y") is MISSING and not given.get("y"):
        raise ValueError(f"plot {name!r} needs y, a column of trials.csv such as max_abs_error")


def _check_axis(name: str, axis: str, needed: bool, swept: tuple[str, ...] | None, called: Mapping[str, str]) -> None:
    """Raise ValueError unless this plot can be drawn against this axis."""
    if not axis:
        if needed:
            raise ValueError(f"plot {name!r} needs x, the axis to draw against: {', '.join(swept or _USUAL_AXES)}")
        return
    if swept is None or called.get(axis, axis) in swept:
        return
    if not swept:
        raise ValueError(f"plot {name!r}: x is {axis!r}, but nothing is swept (a list makes a sweep)")
    raise ValueError(
        f"plot {name!r}: x must be an axis that the scenario sweeps ({', '.join(swept)}); "
        f"got {axis!r}{nearest(axis, swept)}"
    )


def _check_condition(name: str, condition: str) -> None:
    """Raise ValueError unless the text can be read as a condition on games."""
    from disttrack.simulator.claims.grammar import ExpressionError
    from disttrack.simulator.claims.rehearsal import check_condition

    try:
        check_condition(condition)
    except ExpressionError as error:
        raise ValueError(f"plot {name!r}: where: {error}") from error
