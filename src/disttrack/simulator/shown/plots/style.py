"""The house style: one colour and one marker per protocol, titles, legends, and files that never change.

Nothing here imports pyplot: a figure is an object of its own, no window and no global list.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FuncFormatter
from matplotlib.transforms import Bbox

from disttrack.simulator.errors import nearest
from disttrack.simulator.experiments.results.files import replacing
from disttrack.simulator.shown.plots.base import FORMS, LETTER, PAGE, SCREEN, WIDTH, Page, page
from disttrack.simulator.shown.plots.marks import INK, QUIET

_LEADING: Final = 0.2
"""What the box around a line of text has above and below its letters, over its height."""
SMALLEST: Final = 0.4
"""Width and height of a panel in inches below which nothing can be read off it."""


class NoRoom(ValueError):
    """The texts of a figure leave a panel of the current page no room.

    Parameters
    ----------
    height
        Inches with which the texts of its rows have room; 0 if it is not these that lack it.
    """

    def __init__(self, height: float = 0.0) -> None:
        target, remedies = page(), ["show fewer by `where`"]
        size, larger = "", f"a height of {height:.1f}" if height else "a larger size"
        if target.total is not None:
            size = f"size: {target.width:g}x{target.total:g}: "
            remedies += [f"choose {larger}", *["take --style paper"] * target.titled]
        what = "rows overlap" if height else "no room for a panel"
        super().__init__(f"{size}{what}; {', or '.join(remedies)}")


@contextmanager
def house_style(page: Page = SCREEN) -> Iterator[None]:
    """Apply the house style inside of the context, regardless of the user's settings."""
    here = Path(__file__)
    token = PAGE.set(page)
    try:
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            for name in ("house", *(["paper"] if not page.titled else [])):
                path = here.with_name(f"{name}.mplstyle")
                matplotlib.rcParams.update(matplotlib.rc_params_from_file(str(path), use_default_template=False))
            if page.font:
                matplotlib.rcParams["font.family"] = _installed(page.font)
            yield
    finally:
        PAGE.reset(token)


def _installed(font: str) -> str:
    """Return the name of a font; ValueError if there is no such font here."""
    from matplotlib.font_manager import findfont, get_font_names

    try:
        findfont(font, fallback_to_default=False)
    except ValueError:
        raise ValueError(f"font: {font!r} is not installed{nearest(font, get_font_names())}") from None
    return font


def _plain(text: str) -> str:
    """Return a text about as long as a formula in it is drawn."""
    return re.sub(r"\\propto|\\alpha|[${}^\\]", "", text)


class Layout(ConstrainedLayoutEngine):
    """The layout of the house: when the axes have their places, the texts that stand beside them take theirs.

    Attributes
    ----------
    beside
        Moves these texts, and returns whether one of them has left its place.
    """

    beside: Callable[[], bool] | None = None

    def execute(self, fig: Figure) -> None:
        """Lay out the axes, a second time if texts moved: the room of the axes depends on them."""
        super().execute(fig)
        if self.beside is not None and self.beside():
            super().execute(fig)
            self.beside()


class Sheet(Figure):
    """A figure that a notebook shows by itself, with no plotting back end set up."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        with house_style():
            self.savefig(picture, format="png", dpi=100, **_OPTIONS["png"])
        return picture.getvalue()


def new_figure(
    height: float,
    title: str,
    subtitle: str = "",
    note: str = "",
    width: float = WIDTH,
    legend: Sequence[tuple[Line2D | Patch, str]] = (),
    least: float = 0.0,
    most: int = 0,
) -> Figure:
    """Return an empty figure with its title, a line of fixed parameters, and legend and note at the foot.

    Parameters
    ----------
    height
        Height of the panels in inches, without title, legend and note.
    title, subtitle, note
        Text; long lines are broken.
    legend
        Handles with their texts.
    least
        Room for the legend in inches, where it is known to need more than its lines suggest.
    most
        Most columns of the legend, where they are known to be wider than their letters suggest.
    """
    target = page()
    width, panels = target.width or width, height * target.height
    titles = (textwrap.wrap(title, int(width * 8.9)) or [""]) if target.titled else []
    subtitles = textwrap.wrap(subtitle, int(width * 14)) if target.titled else []
    notes = textwrap.wrap(note, int(width * 16)) if target.titled else []
    legend = [(look, textwrap.fill(text, int((width - 0.6) / LETTER))) for look, text in legend]
    row = 0.205 if target.titled else 0.16
    broken = sum(text.count("\n") for _, text in legend)
    longest = max((len(line) for _, text in legend for line in _plain(text).split("\n")), default=0)
    # a short handle shows no gap beside its mark
    dashed = any(isinstance(handle, Line2D) and handle.is_dashed() for handle, _ in legend)
    room = 0.43 + 0.15 * dashed + 0.064 * longest
    columns = max(1, min(len(legend), int((width - 0.2) / room), most or len(legend)))
    head = 0.22 + 0.24 * len(titles) + 0.18 * len(subtitles) if target.titled else 0.04
    foot = 0.14 + 0.16 * len(notes) if notes else 0.06
    low = foot + max(least, row * ceil(len(legend) / columns) + 0.63 * row * broken + 0.07 if legend else 0)
    if target.total is not None:
        panels = target.total - head - low
        if panels < SMALLEST:
            raise NoRoom
    total = panels + head + low
    layout = Layout(rect=(0.012, low / total, 0.976, panels / total), w_pad=0.04, h_pad=0.04)
    figure = Sheet(figsize=(width, total), layout=layout)
    margin = 0.10 / width
    figure.text(
        margin, 1 - 0.14 / total, "\n".join(titles), color=INK, va="top", gid="title", size=12.5, weight="bold",
        linespacing=1.25,
    )  # fmt: skip
    below = 1 - (0.16 + 0.24 * len(titles)) / total
    figure.text(margin, below, "\n".join(subtitles), size=9, color=QUIET, va="top", gid="subtitle")
    figure.text(margin, 0.07 / total, "\n".join(notes), size=8, color=QUIET, va="bottom", gid="note")
    if legend:
        handles, texts = zip(*legend, strict=True)
        below_axes = figure.legend(
            handles, texts, loc="lower left", bbox_to_anchor=(margin, foot / total), ncols=columns, borderpad=0.1,
            borderaxespad=0, labelspacing=0.45, columnspacing=1.4, handletextpad=0.5,
            handlelength=3.2 if dashed else 2.0,
        )  # fmt: skip
        below_axes.set_in_layout(False)
        box = below_axes.get_window_extent()
        if columns > 1 and box.x1 > figure.bbox.x1:
            return new_figure(height, title, subtitle, note, width, legend, least, columns - 1)
        # lines of long texts are further apart than estimated: many of them would reach into the panels
        needed = box.height / figure.dpi if broken else 0.0
        if needed > low - foot:
            return new_figure(height, title, subtitle, note, width, legend, needed + 0.07, most)
    return figure


def ink(colour: str) -> str:
    """Return a colour dark enough for text on white: three parts of it with one of black.

    >>> ink("#E69F00")
    '#ac7700'
    """
    red, green, blue = to_rgb(colour)
    return to_hex((0.75 * red, 0.75 * green, 0.75 * blue))


def _fit_ticks(figure: Figure) -> bool:
    """Leave out every second number below an x axis, the last one kept, until none touches the next; turn names.

    The ticks themselves stay.

    Returns
    -------
    turned
        Whether names were turned.
    """
    turned = False
    for axes in figure.axes:
        axis = axes.xaxis
        low, high = sorted(axes.get_xlim())
        shown = [one for one in axis.get_majorticklabels() if low <= one.get_position()[0] <= high]
        # a tall figure has them above its axes too, after those below
        below = {one.get_position()[0]: one for one in reversed(shown) if one.get_text()}
        labels = [below[place] for place in sorted(below)] if axes.get_visible() else []
        boxes = {one.get_position()[0]: one.get_window_extent() for one in labels if one.get_visible()}
        kept = sorted(boxes)
        if isinstance(axis.get_major_formatter(), FixedFormatter):
            if not _clear([boxes[place] for place in kept], figure.dpi):
                axes.tick_params(axis="x", labelrotation=90)
                turned = True
            continue
        while not _clear([boxes[place] for place in kept], figure.dpi):
            kept = kept[::-2][::-1]
        if len(kept) < len(boxes):
            texts = {place: below[place].get_text() for place in kept}
            axis.set_major_formatter(FuncFormatter(lambda value, _, texts=texts: texts.get(value, "")))
    return turned


def _clear(boxes: Sequence[Bbox], dpi: float) -> bool:
    """Return whether boxes from left to right leave gaps between them."""
    return all(one.x1 + 0.03 * dpi <= other.x0 for one, other in pairwise(boxes))


def _fit_labels(figure: Figure) -> bool:
    """Break the labels of axes that are longer than their panel, and return whether there were any."""
    broken = False
    for axes in (axes for axes in figure.axes if axes.get_visible()):
        box = axes.get_window_extent()
        for label, side, room in ((axes.xaxis.label, "width", box.width), (axes.yaxis.label, "height", box.height)):
            length, text = getattr(label.get_window_extent(), side), label.get_text()
            if length > 1.1 * room:
                label.set_text(textwrap.fill(text, max(8, int(len(text) * room / length))))
                broken = True
    return broken


def uncover(words: Sequence[Text]) -> bool:
    """Move texts off the lines of the grid, and give them a white ground where another strikes them; return False."""
    for text in words:
        axes, begun = text.axes, text.get_position()
        assert axes is not None
        grid = axes.transData.transform([(0, place) for place in axes.yaxis.get_majorticklocs()])[:, 1:].ravel()
        seen = axes.axison and any(line.get_visible() for line in axes.yaxis.get_gridlines())
        for place in sorted(grid, reverse=True) if seen else ():
            box = text.get_window_extent()
            if box.y0 < place < box.y1:  # below this line
                frame, (x, y) = text.get_transform(), text.get_transform().transform(text.get_position())
                text.set_y(frame.inverted().transform((x, y + place - box.y1))[1])
        if _struck(text):
            text.set_position(begun)
        if _struck(text):
            text.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0})
    return False


def _struck(text: Text) -> bool:
    """Return whether a line of its axes goes through a text."""
    axes, box = text.axes, text.get_window_extent()
    assert axes is not None
    drawn = (line for line in axes.lines if line.get_linestyle() != "None")
    paths = (line.get_path().transformed(line.get_transform()) for line in drawn)
    return any(path.intersects_bbox(box, filled=False) for path in paths)


def lay_out(figure: Figure) -> None:
    """Lay out axes and texts, without a whole drawing where the figure has a layout engine.

    Raises
    ------
    NoRoom
        The texts leave a panel no room. Figures of users, without an engine, are theirs to lay out.
    """
    engine = figure.get_layout_engine()
    if engine is None:
        figure.draw_without_rendering()
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied")
        try:
            engine.execute(figure)
        except UserWarning:
            raise NoRoom from None
    boxes = [axes.get_window_extent() for axes in figure.axes if axes.get_visible()]
    if any(min(box.width, box.height) < SMALLEST * figure.dpi for box in boxes):
        raise NoRoom
    if (lack := max(map(_crowding, figure.axes), default=0.0)) > 1:
        panels = sum(box.height for box in boxes if box.x0 == boxes[0].x0) / figure.dpi
        raise NoRoom(figure.get_figheight() + (lack - 1) * panels)


def _crowding(axes: Axes) -> float:
    """Return how much taller axes with a text in each row must be for these not to lie on each other; else 0."""
    formatter = axes.yaxis.get_major_formatter()
    if not axes.get_visible() or not isinstance(formatter, FixedFormatter) or (rows := len(formatter.seq)) < 2:
        return 0.0
    texts = [*axes.yaxis.get_ticklabels(), *(text for text in axes.texts if text.get_text())]
    shown = [(text.get_window_extent().height, text.get_text().count("\n") + 1) for text in texts if text.get_visible()]
    tallest = max((height * (1 - _LEADING / lines) for height, lines in shown), default=0.0)
    return tallest * rows / axes.get_window_extent().height


_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "png": {"metadata": {"Software": None}, "pil_kwargs": {"compress_level": 3}},
    "pdf": {"metadata": {"CreationDate": None, "Creator": None, "Producer": None}},
    "svg": {"metadata": {"Date": None, "Creator": None, "Format": None, "Type": None}},
}
"""How a form is written: without metadata that would differ from day to day or from version to version.

A PNG is a tenth larger than at the usual level 6, in two thirds of the time.
"""


def _fix(figure: Figure) -> None:
    """Keep the layout as it is: every form shows the same, and is drawn once; with "none" it would be drawn twice."""
    figure.set_layout_engine(None)
    for axes in figure.axes:  # the last digits of a layout differ from one time to the next, and ids are made of them
        place = axes.get_position(original=True).get_points().round(9)
        axes.set_position(Bbox(place), which="original")


def save(
    figure: Figure, stem: Path, forms: Sequence[str] = FORMS, page: Page = SCREEN, within: Path | None = None
) -> list[Path]:
    """Write a figure, whole or not at all, and return the paths.

    The same figure gives the same bytes: no date, no program name, ids from a fixed salt.

    Parameters
    ----------
    stem
        The path without its ending.
    page
        What the figure was drawn for.
    within
        A folder that no link may lead the files out of.
    """
    written = []
    with house_style(page):
        for text in figure.findobj(Text) if page.largest < SCREEN.largest else ():
            text.set_fontsize(min(float(text.get_fontsize()), page.largest))
        lay_out(figure)
        changed = [_fit_labels(figure), _fit_ticks(figure)]
        if any(changed):
            lay_out(figure)
        _fix(figure)
        for form in forms:
            path = stem.with_name(f"{stem.name}.{form}")
            with replacing(path, within) as part:
                figure.savefig(part, format=form, **_OPTIONS[form])
            written.append(path)
    return written
