"""Looks in plotly's words: colours, dashes, marks, and text with its formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any, Final

import numpy as np
from matplotlib.colors import to_rgba

PIXELS: Final = 4 / 3
"""Pixels in a point."""

_MARKS: Final = {
    "o": "circle", "s": "square", "^": "triangle-up", "v": "triangle-down", "<": "triangle-left",
    ">": "triangle-right", "D": "diamond", "d": "diamond-tall", "P": "cross", "+": "cross-thin", "X": "x",
    "x": "x-thin", "*": "star", "p": "pentagon", "h": "hexagon", "H": "hexagon2", "8": "octagon", ".": "circle",
    ",": "circle", "|": "line-ns", "_": "line-ew", "1": "y-down", "2": "y-up", "3": "y-left", "4": "y-right",
    r"$\downarrow$": "arrow-down", r"$\infty$": "arrow-up",
}  # fmt: skip
_LETTERS: Final = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "lambda": "λ",
    "mu": "μ", "sigma": "σ", "pi": "π", "propto": "∝", "times": "×", "cdot": "·", "leq": "≤", "geq": "≥", "le": "≤",
    "ge": "≥", "pm": "±", "infty": "∞", "sqrt": "√", "log": "log", "ln": "ln", "approx": "≈", "sum": "Σ",
    "Delta": "Δ", "Omega": "Ω", "Theta": "Θ", "ldots": "…", "dots": "…", "sim": "~",
}  # fmt: skip


def colour(value: Any, alpha: float | None = None) -> str:
    """Return a colour; its own share of opacity is kept unless another one is given.

    >>> colour("#0072B2"), colour("black", 0.5), colour("none")
    ('#0072b2', 'rgba(0,0,0,0.5)', 'rgba(0,0,0,0)')
    """
    red, green, blue, own = to_rgba(value, alpha)
    parts = [round(255 * float(part)) for part in (red, green, blue)]
    if own >= 1:
        return "#" + "".join(f"{part:02x}" for part in parts)
    return f"rgba({','.join(map(str, parts))},{round(float(own), 4):g})"


def symbol(marker: Any) -> str:
    """Return a mark; a circle for one that plotly has not."""
    return _MARKS.get(str(marker), "circle")


def dash(line: Any) -> str:
    """Return the dashes of a line in pixels: the style that it was given, as long as it is drawn.

    >>> from matplotlib.lines import Line2D
    >>> dash(Line2D([], [], linestyle="-")), dash(Line2D([], [], linestyle=(0, (4, 2)), linewidth=1.5))
    ('solid', '8px,4px')
    """
    style = line.get_linestyle()
    if style in ("-", "None", "none", " ", ""):
        return "solid"
    named = {"--": (3.7, 1.6), ":": (1.0, 1.65), "-.": (6.4, 1.6, 1.0, 1.6)}
    given = _unscaled(line) if isinstance(style, str) else style[1] or (1.0, 0.0)
    pattern: Iterable[float] = named.get(style, (3.7, 1.6)) if given is None else given
    scale = float(line.get_linewidth()) * PIXELS
    return ",".join(f"{round(part * scale, 2):g}px" for part in pattern)


def _unscaled(line: Any) -> Iterable[float] | None:
    """Return the dashes that a line was given as numbers; matplotlib's reader of them says only '--'."""
    pattern = getattr(line, "_unscaled_dash_pattern", (0, None))[1]
    return None if pattern is None else [float(part) for part in pattern]


def text(said: str) -> str:
    """Return a text as plotly shows it: escaped, formulas between dollars in small marks, lines broken.

    >>> text("a < b"), text(r"words $\\propto k^{0.5}$"), text("100 %{x}")
    ('a &lt; b', 'words ∝ k<sup>0.5</sup>', '100 &#37;{x}')
    """
    parts = re.split(r"(?<!\\)\$", said)
    if len(parts) % 2 == 0:  # a dollar without its other: no formula
        parts = [said]
    shown = [_formula(part) if place % 2 else escape(part.replace("\\$", "$")) for place, part in enumerate(parts)]
    return "".join(shown).replace("%", "&#37;").replace("\n", "<br>")


def _formula(inside: str) -> str:
    shown = re.sub(r"\\(?:mathdefault|mathrm|mathit|mathbf|text|frac)\s*", "", inside)
    shown = re.sub(r"\\([A-Za-z]+)", lambda found: _LETTERS.get(found[1], found[1]), shown)
    shown = escape(shown.replace("\\,", " ").replace("\\ ", " ").replace("\\%", "%"))
    for sign, tag in (("^", "sup"), ("_", "sub")):
        shown = re.sub(rf"\{sign}\{{([^{{}}]*)\}}", rf"<{tag}>\1</{tag}>", shown)
        shown = re.sub(rf"\{sign}(\w)", rf"<{tag}>\1</{tag}>", shown)
    return shown.replace("{", "").replace("}", "")


def plain(said: str) -> str:
    """Return a text without markup, for names and tables.

    >>> plain(r"words $\\propto k^{0.5}$")
    'words ∝ k^0.5'
    """
    found = re.sub(r"<sup>(.*?)</sup>", r"^\1", text(said).replace("<br>", " "))
    found = re.sub(r"<sub>(.*?)</sub>", r"_\1", found)
    for code, letter in (
        ("&#37;", "%"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", '"'),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ):
        found = found.replace(code, letter)
    return found


def true_numbers(values: Any) -> list[Any]:
    """Return values as tables have them: infinite ones by their word.

    >>> true_numbers([0.5, float("inf"), float("nan")])
    [0.5, 'infinite', None]
    """
    words = {float("inf"): "infinite", float("-inf"): "-infinite"}
    plain_values = np.asarray(values, dtype=float).tolist()
    return [words.get(value, shown) for value, shown in zip(plain_values, numbers(values), strict=True)]


def numbers(values: Any) -> list[Any]:
    """Return values as JSON has them: not-a-number and infinities become gaps; dates and words stay words."""
    array = np.ma.filled(np.ma.asarray(values, dtype=object), None) if np.ma.isMaskedArray(values) else values
    found: list[Any] = []
    for value in np.asarray(array, dtype=object).ravel().tolist():
        if isinstance(value, bool | int | float | np.number):
            number = float(value)
            found.append((int(number) if number == int(number) else number) if np.isfinite(number) else None)
        else:
            found.append(None if value is None else str(value))
    return found
