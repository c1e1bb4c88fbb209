"""The house style: one colour and one marker a protocol, titles, numbers, and files that never change.

Nothing here imports pyplot: a figure is an object of its own, no window and no global list.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.figure import Figure

WIDTH: Final = 8.0
"""Width of every figure in inches; shown 800 pixels wide, a point of text is then 1.4 pixels."""

INK: Final = "#222222"
QUIET: Final = "#666666"
BORDER: Final = "#444444"


@dataclass(frozen=True)
class Mark:
    """How a protocol looks in every figure.

    Parameters
    ----------
    colour
        A colour of the Okabe-Ito palette or a grey; the ones that are most often drawn together
        differ by at least 30 of 255 in lightness, so that a grey print keeps them apart.
    marker
        A matplotlib marker, no two protocols the same.
    """

    colour: str
    marker: str


MARKS: Final = {
    "deterministic": Mark("#000000", "s"),
    "randomized": Mark("#E69F00", "^"),
    "robust": Mark("#0072B2", "o"),
    "martingale": Mark("#D55E00", "D"),
    "block": Mark("#CC79A7", "v"),
    "deterministic-rounds": Mark("#777777", "P"),
    "exact": Mark("#AAAAAA", "X"),
    "sketch-switching": Mark("#56B4E9", "<"),
    "difference-estimators": Mark("#009E73", ">"),
    "private-copies": Mark("#A08F00", "h"),
}

_SPARE: Final = (
    Mark("#009E73", "p"), Mark("#56B4E9", "*"), Mark("#8C564B", "d"), Mark("#5B3794", "H"), Mark("#777777", "8"),
)

FILLS: Final = ("full", "none", "bottom", "left", "top", "right")
"""Fill of a marker, one an adversary."""

DASHES: Final[tuple[Any, ...]] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
"""Dashes of the variants of one protocol."""


def mark(kind: str, others: tuple[str, ...] = ()) -> Mark:
    """Return the look of a protocol; kinds of a user's own share out the spare looks by their order in `others`."""
    if kind in MARKS:
        return MARKS[kind]
    strangers = [other for other in others if other not in MARKS]
    place = strangers.index(kind) if kind in strangers else sum(kind.encode())
    return _SPARE[place % len(_SPARE)]


@contextmanager
def house_style() -> Iterator[None]:
    """Draw what stands inside in the house style, whatever the user's own settings are."""
    path = Path(__file__).with_name("house.mplstyle")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(matplotlib.rc_params_from_file(str(path), use_default_template=False))
        yield


def new_figure(height: float, title: str, subtitle: str = "", note: str = "", width: float = WIDTH) -> Figure:
    """Return an empty figure with its title, a line of fixed parameters under it, and a note at the foot.

    Parameters
    ----------
    height
        Height in inches of what is drawn, titles and notes not counted.
    title, subtitle, note
        Text; long lines are broken.
    """
    title_lines = textwrap.wrap(title, int(width * 9.5)) or [""]
    subtitle_lines = textwrap.wrap(subtitle, int(width * 14))
    note_lines = textwrap.wrap(note, int(width * 16.5))
    head = 0.16 + 0.24 * len(title_lines) + 0.18 * len(subtitle_lines) + 0.06
    foot = (0.10 + 0.16 * len(note_lines)) if note_lines else 0.0
    total = height + head + foot
    figure = Figure(figsize=(width, total), layout="constrained")
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.set(rect=(0.012, foot / total, 0.976, height / total), w_pad=0.04, h_pad=0.04)  # type: ignore[call-arg]
    margin = 0.10 / width
    top = total - 0.14
    figure.text(margin, top / total, "\n".join(title_lines), size=12.5, weight="bold", color=INK, va="top",
                gid="title", linespacing=1.25)
    if subtitle_lines:
        below = top - 0.24 * len(title_lines)
        figure.text(margin, below / total, "\n".join(subtitle_lines), size=9, color=QUIET, va="top", gid="subtitle")
    if note_lines:
        figure.text(margin, 0.07 / total, "\n".join(note_lines), size=8, color=QUIET, va="bottom", gid="note")
    return figure


def number(value: float) -> str:
    """Return a number as a reader wants it.

    >>> number(2_000_000), number(10**9), number(0.03), number(1234.5)
    ('2,000,000', '$10^{9}$', '0.03', '1,234')
    """
    if value >= 10**7 and float(value).is_integer():
        digits = str(int(value))
        power = len(digits) - 1
        lead = digits.rstrip("0")
        if lead == "1":
            return f"$10^{{{power}}}$"
        if len(lead) <= 2:
            return rf"${'.'.join(lead)}\cdot 10^{{{power}}}$"
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def short(value: float) -> str:
    """Return a large count in few letters.

    >>> short(950), short(52_340), short(1_600_000), short(1e12)
    ('950', '52k', '1.6M', '1,000G')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            scaled = value / size
            return f"{scaled:,.0f}{letter}" if scaled >= 10 else f"{scaled:.2g}{letter}"
    return f"{value:.3g}"


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as PNG and SVG, whole or not at all, and return the two paths.

    The same figure gives the same bytes: no date, no program name, ids from a fixed salt.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    nothing: dict[str, dict[str, Any]] = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    }
    written = []
    with house_style():
        for form, metadata in nothing.items():
            path = stem.with_name(f"{stem.name}.{form}")
            partial = path.with_name(f"{path.name}.tmp")
            figure.savefig(partial, format=form, metadata=metadata)
            os.replace(partial, path)
            written.append(path)
    return written
