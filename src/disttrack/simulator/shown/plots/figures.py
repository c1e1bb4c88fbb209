"""Drawing figures into files, and onto the axes of a user."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Never, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from disttrack.simulator.errors import RunError, ScenarioError, explained, must_be
from disttrack.simulator.experiments.results.files import write_text, writing
from disttrack.simulator.experiments.results.folder import Results, opened
from disttrack.simulator.experiments.results.read import Tables, read_tables, tables_of
from disttrack.simulator.experiments.results.stored import CAPTIONS, note_written, read_captions
from disttrack.simulator.experiments.runs.own_folder import alone_with
from disttrack.simulator.kinds.source import import_reference
from disttrack.simulator.shown.plots.base import FORMS, LOOK, SCREEN, Page, Picture, Plot, asked_name, pages
from disttrack.simulator.shown.plots.description import Description
from disttrack.simulator.shown.plots.render import render
from disttrack.simulator.shown.plots.requests import (
    Request,
    caption_of,
    described_of,
    figure_of,
    own_figure,
    planned,
    plot_of,
    printed_caption,
)
from disttrack.simulator.shown.plots.style import NoRoom, house_style, save
from disttrack.simulator.shown.plots.traces import game_described, record_described

_TALLER: Final = (1.0, 1.5, 2.5)
"""Heights that are tried where the texts of a figure leave its panels no room."""


@explained()
def draw(
    place: str | Path | Results,
    requests: Sequence[Request] | None = None,
    *,
    style: str = "screen",
    scale: str = "",
    size: str = "",
    font: str = "",
    on_figure: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Draw the figures of a result into its folder `figures`; return the files, PNG and SVG of each.

    Parameters
    ----------
    place
        Where a run wrote its tables, or the results themselves.
    requests
        The figures; left out, those of the scenario, or suitable ones if it names none.
    style
        screen, or paper: without titles, in one and two columns' width, with fonts in the files, as PDF too, into the
        folder `figures/paper`.
    scale, size, font
        Keys of all figures, as under `plots:`. The files are named after them.
    on_figure
        Called before each figure with its number, from 1, and the number of figures.

    Raises
    ------
    ValueError
        There is no result in the directory, or a figure cannot be drawn from it; the others have been drawn.
    """
    look = Plot(scale=scale, size=size, font=font)
    pages(style, look.inches)
    if isinstance(requests, str | Mapping):
        raise ValueError(f"requests must be a list: [{requests!r}]")
    results = opened(place)
    with alone_with(results):
        return _draw(results, requests, style, look, on_figure)


def _draw(
    results: Results, requests: Sequence[Request] | None, style: str, look: Plot,
    on_figure: Callable[[int, int], None] | None,
) -> list[Path]:  # fmt: skip
    """Draw the figures of a result that nobody else writes to, as `draw`."""
    tables, folder = tables_of(results), results.dir / "figures"
    plots, faults = planned(results, tables, requests)
    written: list[Path] = []
    captions: dict[str, str] = {}
    suffix = _suffix(look, style)
    for number, (stem, plot) in enumerate(plots.items(), 1):
        if on_figure is not None:
            on_figure(number, len(plots))
        try:
            plot = looking(plot, look)
            stem = f"{stem}{suffix}"
            for page in pages(style, plot.inches, font_of(plot)):
                if page.narrow and not plot.narrow and not plot.size:
                    continue
                place = folder / style / f"{stem}-{page.name}" if page.name else folder / stem
                paths, picture = _drawn(tables, plot, place, page, results.dir)
                written += paths
                if not page.name:
                    results.pictures[stem] = picture
            captions[stem] = picture.caption
        except RunError:  # where one cannot be written, none can
            raise
        except Exception as error:  # the others are drawn all the same
            faults.append(f"{stem}: {error if isinstance(error, ValueError | ScenarioError) else repr(error)}")
    if written:
        _write_captions(results.dir, captions)
        note_written(results.dir, [*written, results.dir / CAPTIONS])
    if faults:
        raise ValueError("; ".join(faults))
    return written


def _suffix(look: Plot, style: str) -> str:
    """Return what the keys of all figures add to the names of their files."""
    named = [getattr(look, key) for key in LOOK if key != "size" or style == "screen"]  # pages of a paper state theirs
    return "".join(f"-{re.sub('[^a-zA-Z0-9.]+', '-', text)}" for text in named if text)


def looking(plot: Plot, look: Plot) -> Plot:
    """Return a figure with the keys of `LOOK` that another one has."""
    given = {key: text for key in LOOK if (text := getattr(look, key))}
    for key in given:
        if not isinstance(getattr(plot, key), str):
            raise ValueError(f"{key}: a key of {type(plot).__name__} too; leave {key} out")
    return replace(plot, **given)


def font_of(plot: Plot) -> str:
    """Return the font of a figure; a user's class may have another key of that name."""
    return plot.font if isinstance(plot.font, str) else ""


def _drawn(
    tables: Tables, plot: Plot, place: Path, page: Page = SCREEN, within: Path | None = None
) -> tuple[list[Path], Picture]:
    """Draw one figure; return its files, in print with its caption as text, and the picture.

    Parameters
    ----------
    place, page, within
        As for `save`.
    """
    with house_style(page):
        described = described_of(tables, plot)
    written = _saved(tables, plot, described, place, page, within)
    path = place.with_name(f"{place.name}.svg")
    caption = caption_of(plot, described)
    if isinstance(described, Figure):
        return written, Picture(place.name, path, caption)
    if not page.titled:
        written.append(place.with_name(f"{place.name}.txt"))
        questions = [str(one.get("question") or "") for one in tables.scenarios.values()]
        write_text(written[-1], printed_caption(described, questions), within)
    return written, Picture(place.name, path, caption, described, path.read_text(encoding="utf-8"))


def _saved(
    tables: Tables, plot: Plot, described: Description | Figure, place: Path, page: Page, within: Path | None
) -> list[Path]:
    """Write one figure and return its files; it is taller where its texts would leave the panels no room."""
    for taller in (1.0,) if page.total else _TALLER:
        made = replace(described, height=taller * described.height) if isinstance(described, Description) else described
        with house_style(page):
            figure = figure_of(tables, plot, made)
        try:
            return save(figure, place, page.forms, page, within)
        except NoRoom as error:
            fault = f"{error}, or give wider axes: results.plot.{plot.kind}(ax=…)"
    raise ValueError(fault)


@explained()
def compare(
    places: Sequence[str | Path | Results], kind: Request, out: str | Path = "figures", *, style: str = "screen",
    scale: str = "", size: str = "", font: str = "",
) -> Picture:  # fmt: skip
    """Draw several results side by side, on common scales, as PNG and SVG; return the figure, the widest of a paper.

    Parameters
    ----------
    places
        Where the runs wrote their tables.
    kind
        The figure: a kind alone, or a mapping as under `plots:`.
    out
        The folder to write to.
    style, scale, size, font
        As for `draw`.
    """
    if isinstance(places, str | Path | Results):
        first = places if isinstance(places, Results) else str(places)
        raise TypeError(f"places: write compare([{first!r}, …], 'cost')")
    tables = read_tables(places)
    look, asked = Plot(scale=scale, size=size, font=font), plot_of(kind, tables)
    plot, files = looking(asked, look), list[Path]()
    for page in pages(style, plot.inches, font_of(plot)):
        name = "-".join(filter(None, ["compare", f"{asked_name(asked)}{_suffix(look, style)}", page.name]))
        paths, picture = _drawn(tables, plot, Path(out) / name, page)
        files += paths
    return replace(picture, files=tuple(files))


def timeline_of(game: Any, path: str | Path | None) -> Figure:
    """Return the timeline of a `Game` or a `Record` as a matplotlib figure, written to `path` too if one is given.

    Of a game that was recorded every step is shown, of another one its checkpoints.

    Parameters
    ----------
    path
        Ends in .png or .svg; without an ending both are written.
    """
    with house_style():
        figure = render(_described_game(game))
    if path is not None:
        place = Path(path)
        if place.suffix and place.suffix[1:] not in FORMS:
            raise ValueError(f"path must end in .png, .svg or neither; got {str(path)!r}")
        save(figure, place.with_suffix(""), (place.suffix[1:],) if place.suffix else FORMS)
    return figure


def _described_game(game: Any) -> Description:
    if figure := getattr(game, "figure", ""):
        return cast(Description, import_reference(figure)(game))
    a_record = isinstance(game.series, dict)
    return record_described(game) if a_record or "output" not in game.series else game_described(game)


class Panels(tuple[Axes, ...]):
    """The axes of a figure, one a panel. A notebook shows the figure, which is `figure`."""

    figure: Figure

    if not TYPE_CHECKING:  # a checker refuses other names

        def __getattr__(self, name: str) -> Never:
            places = {f"[0].{name}": Axes, f".figure.{name}": Figure}
            there = [place for place, of in places.items() if name[0] != "_" and hasattr(of, name)]
            advice = f"; write {' or '.join(there)}" * bool(there)
            raise AttributeError(f"axes have no {name!r}{advice}", name=name, obj=self)

    def _repr_png_(self) -> bytes | None:
        return self.figure._repr_png_() if hasattr(self.figure, "_repr_png_") else None


def axes_of(results: Results, request: Request, ax: Axes | Sequence[Axes] | None) -> Any:
    """Draw one figure of a result and return its axes, for `Results.plot`."""
    tables = tables_of(results)
    plot = plot_of(request, tables)
    given = [] if ax is None else np.array(ax, dtype=object).ravel().tolist()  # plt.subplots makes an array
    if ax is not None and not (given and all(isinstance(one, Axes) for one in given)):
        raise ValueError(must_be("matplotlib axes, or a list of them", ax, "ax"))
    size = plot.inches
    if given and (size or font_of(plot)):
        raise ValueError("ax: leave size and font out")
    with house_style(pages("screen", size, font_of(plot))[0]):
        described = described_of(tables, plot)
        if given and isinstance(described, Figure):
            raise own_figure(plot, "ax")
        figure = described if isinstance(described, Figure) else render(described, given)
    if given:
        return ax
    panels = Panels(axes for axes in figure.axes if axes.get_visible())
    panels.figure = figure
    return panels


def _write_captions(folder: Path, known: Mapping[str, str]) -> None:
    """Write captions beside the figures; those of other figures that are there stay as they are."""
    every, there = {**read_captions(folder), **known}, folder / "figures"
    kept = {stem: text for stem, text in every.items() if (there / f"{stem}.svg").is_file()}
    with writing(folder) as start:
        start(CAPTIONS).write(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
