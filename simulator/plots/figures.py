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


def draw_all(directory: str | Path, requests: Sequence[Request] | None = None) -> list[Path]:
    """Draw the figures of one result; `simulator.plots.draw` says the rest."""
    tables = read_tables([directory])
    if requests is None:
        scenario = next(iter(tables.scenarios.values()))
        requests = scenario.get("plots") or _suitable(tables)
    written: list[Path] = []
    names: dict[str, int] = {}
    faults = []
    for request in [check_plot(request, _axes(tables)) for request in requests]:
        count = names[request.name] = names.get(request.name, 0) + 1
        stem = request.name if count == 1 else f"{request.name}-{count}"
        try:
            with house_style():
                figure = figure_of(tables, request)
        except ValueError as error:
            faults.append(f"{stem}: {error}")  # the other figures are drawn all the same
            continue
        written += save(figure, Path(directory) / "figures" / stem)
    if faults:
        raise ValueError("; ".join(faults))
    return written


def draw_compared(directories: Sequence[str | Path], kind: Request, out: str | Path | None) -> list[Path]:
    """Draw several results in one figure; `simulator.plots.compare` says the rest."""
    tables = read_tables(directories)
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
