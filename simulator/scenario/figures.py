"""What may stand under `plots:` in a scenario. Light: scenarios are checked with it before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

KINDS: Final = {
    "cost": "words against a swept axis, a line a protocol, with the fitted law and the bound",
    "error": "the largest error over alpha against a swept axis",
    "measure": "any measured column against a swept axis",
    "timeline": "estimate, error and words in the course of a game",
    "breakdown": "words by kind of message",
    "frontier": "the largest error against words, a mark a protocol and adversary",
    "matrix": "protocols against adversaries: how many games held",
}
"""Kinds of figures and what each shows."""

EFOLD: Final = "words-per-efold"
"""Words over the logarithm of the growth of the stream, ln((start + items) / start)."""

MEASURES: Final = ("words", "messages", "bits", EFOLD)
"""What a `cost` figure may count."""

_KEYS: Final = {
    "cost": ("x", "y", "where", "title"),
    "error": ("x", "where", "title"),
    "measure": ("x", "y", "where", "title"),
    "timeline": ("where", "title"),
    "breakdown": ("x", "where", "title"),
    "frontier": ("where", "title"),
    "matrix": ("where", "title"),
}
_NEEDS_X: Final = ("cost", "error", "measure")
_USUAL_AXES: Final = ("sites", "items", "alpha", "start")


@dataclass(frozen=True)
class PlotRequest:
    """One figure that is asked for.

    Parameters
    ----------
    kind
        One of `KINDS`.
    x
        The swept axis, for kinds that have one: sites, items, alpha, or any other swept parameter.
    y
        What a cost figure counts: words, messages, bits or words-per-efold; the column that a measure figure shows.
    where
        Which games, as a condition on the columns of trials.csv; empty for all.
    title
        Stands in for the scenario's title; empty for that.
    """

    kind: str
    x: str = ""
    y: str = "words"
    where: str = ""
    title: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """Return the file name without its ending."""
        parts = [self.kind, self.x, self.y if self.y != "words" else ""]
        return "-".join(part.replace("/", "-") for part in parts if part)


def check_plot(request: Any, swept: Iterable[str] | None = None) -> PlotRequest:
    """Return the checked form of one entry of `plots:`.

    Parameters
    ----------
    request
        A mapping such as ``{"kind": "cost", "x": "sites"}``, or the name of a kind alone.
    swept
        The axes that the scenario sweeps; with it an `x` that is not among them is refused.

    Raises
    ------
    ValueError
        In one line: what is wrong and what is accepted.
    """
    if isinstance(request, PlotRequest):
        return request
    if isinstance(request, str):
        request = {"kind": request}
    if not isinstance(request, Mapping):
        raise ValueError(f"a plot must be a mapping such as {{kind: cost, x: sites}}; got {request!r}")
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"plot kind must be one of {', '.join(KINDS)}; got {kind!r}{_nearest(kind, KINDS)}")
    given = {str(key): value for key, value in request.items() if key != "kind" and value is not None}
    for key, value in given.items():
        if key not in _KEYS[kind]:
            accepted = ", ".join(("kind", *_KEYS[kind]))
            raise ValueError(f"plot {kind!r} takes {accepted}; got {key!r}{_nearest(key, _KEYS[kind])}")
        if not isinstance(value, str):
            raise ValueError(f"plot {kind!r}: {key} must be text; got {value!r}")
    if given.get("where"):
        _check_condition(kind, given["where"])
    sides = ("protocol", "adversary")
    axes = None if swept is None else tuple(axis for axis in swept if axis not in sides)
    _check_axis(kind, given.get("x", ""), axes)
    if kind == "measure":
        if not given.get("y"):
            raise ValueError("plot 'measure' needs y, a column of trials.csv such as max_abs_error")
    elif given.get("y", "words") not in MEASURES:
        raise ValueError(f"plot {kind!r}: y must be one of {', '.join(MEASURES)}; got {given['y']!r}")
    return PlotRequest(kind=kind, **given)


def _check_axis(kind: str, axis: str, swept: tuple[str, ...] | None) -> None:
    """Raise ValueError unless this kind of figure can be drawn against this axis."""
    offered = swept or _USUAL_AXES
    if not axis:
        if kind in _NEEDS_X:
            raise ValueError(f"plot {kind!r} needs x, the axis to draw against: {', '.join(offered)}")
        return
    if swept is None or axis in swept:
        return
    if not swept:
        raise ValueError(f"plot {kind!r}: x is {axis!r}, but nothing is swept (a list makes a sweep)")
    raise ValueError(
        f"plot {kind!r}: x must be an axis that the scenario sweeps ({', '.join(swept)}); "
        f"got {axis!r}{_nearest(axis, swept)}"
    )


def _check_condition(kind: str, condition: str) -> None:
    """Raise ValueError unless the text can be read as a condition on games."""
    from simulator.claims.expressions import ExpressionError, check_rows

    try:
        check_rows(condition)
    except ExpressionError as error:
        raise ValueError(f"plot {kind!r}: where: {error}") from error


def _nearest(word: Any, known: Iterable[str]) -> str:
    """Return '; did you mean …?' for a misspelt word, or nothing."""
    close = get_close_matches(str(word), list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
