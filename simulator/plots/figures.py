"""From requests to files: which figure is drawn by what, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure

from simulator.plots.breakdown import draw_breakdown
from simulator.plots.cost import draw_cost
from simulator.plots.error import draw_error
from simulator.plots.frontier import draw_frontier
from simulator.plots.matrix import draw_matrix
from simulator.plots.measure import draw_measure
from simulator.plots.style import FORMS, house_style, save
from simulator.plots.timeline import draw_game, draw_timeline
from simulator.results.folder import Results, opened
from simulator.results.read import Tables, read_tables, swept_axes
from simulator.scenario.figures import PlotRequest, check_plot

Request = PlotRequest | Mapping[str, Any] | str

_DRAWN_BY: Final[dict[str, Callable[[Tables, PlotRequest], Figure]]] = {
    "cost": draw_cost,
    "error": draw_error,
    "measure": draw_measure,
    "timeline": draw_timeline,
    "breakdown": draw_breakdown,
    "frontier": draw_frontier,
    "matrix": draw_matrix,
}


def draw_all(
    place: str | Path | Results, requests: Sequence[Request] | None = None, *, missing: bool = False
) -> list[Path]:
    """Draw the figures of one result; `simulator.plots.draw` says the rest."""
    results = opened(place)
    tables = read_tables([results])
    figures, faults = _planned(tables, requests)
    written: list[Path] = []
    for stem, request in figures.items():
        path = results.dir / "figures" / stem
        if missing and up_to_date(path.with_name(f"{stem}.svg"), results):
            continue
        try:
            with house_style():
                figure = figure_of(tables, request)
            written += save(figure, path)
        except Exception as error:  # also of a figure of the user's own: the others are drawn all the same
            faults.append(f"{stem}: {error if isinstance(error, ValueError) else repr(error)}")
    if faults:
        raise ValueError("; ".join(faults))
    return written


def planned(results: Results) -> list[Path]:
    """Return the SVG files of the figures that a result is to have, in order, drawn or not."""
    figures, _ = _planned(read_tables([results]), None)
    return [results.dir / "figures" / f"{stem}.svg" for stem in figures]


def up_to_date(path: Path, results: Results) -> bool:
    """Tell whether a figure has been drawn from the tables as they are."""
    files = [path.with_suffix(f".{form}") for form in FORMS]
    if not all(file.is_file() for file in files):
        return False
    tables = (results.dir / "trials.csv").stat().st_mtime_ns
    return all(file.stat().st_mtime_ns >= tables for file in files)


def _planned(tables: Tables, requests: Sequence[Request] | None) -> tuple[dict[str, PlotRequest], list[str]]:
    """Return the figures that are asked for, by the names of their files, and what is wrong with the other requests."""
    if requests is None:
        scenario = next(iter(tables.scenarios.values()))
        requests = scenario.get("plots") or _suitable(tables)
    figures: dict[str, PlotRequest] = {}
    faults = []
    names: dict[str, int] = {}
    for asked in requests:
        try:
            request = check_plot(asked, _axes(tables))
        except ValueError as error:
            faults.append(str(error))
            continue
        count = names[request.name] = names.get(request.name, 0) + 1
        figures[request.name if count == 1 else f"{request.name}-{count}"] = request
    return figures, faults


def draw_compared(places: Sequence[str | Path | Results], kind: Request, out: str | Path | None) -> list[Path]:
    """Draw several results in one figure; `simulator.plots.compare` says the rest."""
    tables = read_tables(places)
    request = check_plot(_with_axis(kind, tables), _axes(tables))
    with house_style():
        figure = figure_of(tables, request)
    return save(figure, Path(out if out is not None else "figures") / f"compare-{request.name}")


def draw_one_game(game: Any, path: str | Path | None) -> Figure:
    """Draw the timeline of a game; `simulator.plots.timeline_of` says the rest."""
    with house_style():
        figure = draw_game(game)
    if path is not None:
        place = Path(path)
        if place.suffix and place.suffix[1:] not in FORMS:
            raise ValueError(f"path must end in .png or .svg, or in neither for both; got {str(path)!r}")
        save(figure, place.with_suffix(""), (place.suffix[1:],) if place.suffix else FORMS)
    return figure


def figure_of(tables: Tables, request: PlotRequest) -> Figure:
    """Return one figure; to be called in the house style."""
    chosen = tables.where(request.where).with_adversaries_named(request.x)
    return _DRAWN_BY[request.kind](chosen, request)


def _axes(tables: Tables) -> tuple[str, ...]:
    """Return the axes that a figure can be drawn against."""
    return swept_axes(tables.trials)


def _with_axis(request: Request, tables: Tables) -> Request:
    """Return a request with the first swept axis put in where it needs one and names none."""
    asked: Request = {"kind": request} if isinstance(request, str) else request
    needy = isinstance(asked, Mapping) and asked.get("kind") in ("cost", "error", "measure") and not asked.get("x")
    return {**asked, "x": _axes(tables)[0]} if needy and _axes(tables) else asked  # type: ignore[dict-item]


def _suitable(tables: Tables) -> list[Request]:
    """Return figures for a scenario that asks for none."""
    if tables.kinds.empty:
        return []  # nothing was sent: a task of another kind than counting, whose columns only its scenario knows
    found: list[Request] = [{"kind": "cost", "x": axis} for axis in _axes(tables)[:1]]
    if tables.trials["adversary"].nunique() > 1 and tables.trials["verdict"].ne("undecided").any():
        found.append("matrix")
    found.append("breakdown")
    if not tables.series.empty:
        found.append("timeline")
    return found
