"""From requests to figures: plots checked against the tables, their descriptions, their captions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results, class_of
from disttrack.simulator.experiments.results.formats import span
from disttrack.simulator.experiments.results.read import ITEMS_SENT, Tables, fixed, tables_of
from disttrack.simulator.experiments.scenario.figures import LackingError, check_plot
from disttrack.simulator.game.columns import COSTS, ERROR, NETWORK
from disttrack.simulator.kinds.facts import first_line
from disttrack.simulator.kinds.installed import is_compared
from disttrack.simulator.kinds.names import count, with_name
from disttrack.simulator.kinds.registry import find, parameters
from disttrack.simulator.kinds.source import source_of
from disttrack.simulator.shown.plots.base import LOOK, Picture, Plot, asked_name
from disttrack.simulator.shown.plots.description import Description, Series, rounded
from disttrack.simulator.shown.plots.kinds import Curves, Timeline
from disttrack.simulator.shown.plots.panels import rescaled
from disttrack.simulator.shown.plots.sweep import of_files, symbol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Request = Plot | Mapping[str, Any] | str
NAMED: Final = 10
"""The most series whose values a caption states; others are counted."""
WITHOUT_LINKS: Final = COSTS - {*NETWORK}
"""Costs that leave out what reliable links add."""


def planned(results: Results, tables: Tables, requests: Sequence[Request] | None) -> tuple[dict[str, Plot], list[str]]:
    """Return the requested plots by the names of their files, and the faults of other requests.

    A plot that the scenario does not ask for gets a file of its own, named after all of its keys.
    """
    named = requests is not None
    shipped = planned(results, tables, None)[0] if named else {}
    if requests is None:
        asked = results.scenario.get("plots")
        requests = _suitable(tables) if asked is None else asked
    plots: dict[str, Plot] = {}
    faults = []
    names: dict[str, int] = {}
    for request in requests:
        try:
            plot = plot_of(request, tables, named=named)
        except ScenarioError:  # the user's task is missing, for all of them
            raise
        except ValueError as error:
            faults.append(f"{_kind_of(request)}: {error}")
            continue
        name = next((stem for stem, one in shipped.items() if one == plot), "")
        if not name:
            name = asked_name(plot) if named else plot.name
            name = f"{name}{'-asked' * (name in shipped)}"
        count = names[name] = names.get(name, 0) + 1
        stem = name if count == 1 else f"{name}-{count}"
        plots |= {f"{stem}{suffix}": part for suffix, part in _files(plot, tables).items()}
    return plots, faults


def _files(plot: Plot, tables: Tables) -> dict[str, Plot]:
    """Return a figure in parts where its panels would be crowded, by what is added to the names of their files."""
    if not isinstance(plot, Curves):
        return {"": plot}
    try:
        own, shown = _shown(tables, plot)
        axis = of_files(shown, getattr(own, "x", ""), getattr(own, "by", ""))
    except ValueError:  # stated when it is drawn
        return {"": plot}
    parts: dict[str, Plot] = {}
    for value in shown.trials[axis].unique().tolist() if axis else ():
        where = " and ".join([f"({plot.where})"] * bool(plot.where) + [f"{axis} == {value!r}"])
        title = f"{plot.title}, {with_name(axis, value)}" if plot.title else ""
        parts[f"-{re.sub('[^a-z0-9.]+', '-', f'{axis}-{value}'.lower())}"] = replace(plot, where=where, title=title)
    return parts or {"": plot}


def plot_of(request: Request, tables: Tables, *, named: bool = True) -> Plot:
    """Return the requested plot, checked against the tables.

    Parameters
    ----------
    named
        Whether the user asks for it, and not a result: then it may be of a file or module, which is loaded, and a plot
        that needs an axis and is given none has the first one that is swept.

    Raises
    ------
    ScenarioError
        The task of a result is a user's class that was not given: it names the axes.
    ValueError
        The plot cannot be made.
    """
    for result in tables.results.values():
        _ = result.task
    if isinstance(request, Plot):
        return _checked(request, tables)
    try:
        maker = _class_of(_kind_of(request), tables, named=named)
    except ScenarioError as error:
        raise ValueError(str(error)) from error
    asked = {"kind": request} if isinstance(request, str) else dict(request)
    axes = _numeric_axes(tables) or tables.swept
    if named and axes and asked.get("x") in (None, "") and parameters(maker).get("x") is MISSING:
        asked["x"] = axes[0]
    return _checked(asked, tables, maker)


def _checked(request: Request, tables: Tables, maker: type[Plot] | None = None) -> Plot:
    try:
        plot: Plot = check_plot(request, tables.swept, called=tables.called, maker=maker)
    except LackingError as error:
        if why := next(filter(None, (_lost(one, name) for name in error.names for one in tables.results.values())), ""):
            raise ValueError(f"plot {_kind_of(request)!r}: {why}") from error
        raise
    return plot


def _lost(results: Results, axis: str) -> str:
    """Return why an axis that a scenario sweeps is none of the games that are drawn; empty if it sweeps none."""
    if axis not in results.settings.swept or axis not in results.trials:
        return ""
    having = results.trials[results.trials[axis].notna()]
    ended = int((having.verdict == ERROR).sum())
    lost = f"{ended:,} of {count(len(having), 'game')} with {axis}"
    return f"{lost} ended in an error; too few values are left" if ended else ""


def _class_of(kind: str, tables: Tables, *, named: bool) -> type[Plot]:
    """Return the class of a plot; a file or module is loaded only if the user has named it, not a result."""
    try:
        maker: type[Plot] = class_of("plot", kind, tables.own)
    except ScenarioError:
        if not named:
            raise
        maker = find("plot", kind, source_of(kind, Path.cwd()), Path.cwd())
    return maker


def _kind_of(request: Request) -> str:
    """Return the kind that a request names."""
    if isinstance(request, Mapping):
        return str(request.get("kind"))
    return request.kind if isinstance(request, Plot) else str(request)


def _numeric_axes(tables: Tables) -> tuple[str, ...]:
    """Return the swept axes whose values are numbers, along which lines can be drawn."""
    return tuple(axis for axis in tables.swept if tables.trials[axis].dtype.kind in "iuf")


def _suitable(tables: Tables) -> list[Request]:
    """Return figures for a scenario that asks for none."""
    if tables.kinds.empty:
        return []  # nothing was sent: not a counting task
    requests: list[Request] = [{"kind": "cost", "x": axis} for axis in _numeric_axes(tables)[:1]]
    if tables.trials.adversary.nunique() > 1 and tables.trials.verdict.ne("undecided").any():
        requests.append("matrix")
    requests.append("breakdown")
    if not tables.series.empty and tables.trials.max_rel_error.notna().any():
        requests.append("timeline")
    return requests


def described_of(tables: Tables, plot: Plot) -> Description | Figure:
    """Return the description of a figure, or the figure of a plot that draws by itself.

    The title is that of the plot, or what the axes show, and the line below it has what all games share, unless the
    plot has described others.

    Raises
    ------
    ValueError
        No game meets its condition, the tables lack something, or the user's own class raised an error.
    """
    plot, shown = _shown(tables, plot)
    described = _made(shown, plot)
    if not isinstance(described, Description):
        if given := [key for key in LOOK if (text := getattr(plot, key, "")) and isinstance(text, str)]:
            raise own_figure(plot, given[0])
        return described
    if scales := plot.scales:
        described = rescaled(described, scales)
    if described.games is not None:
        shown = replace(shown, trials=shown.trials.loc[[*described.games]])
    heading = described.title or described.heading
    if tables.several:
        heading += f", of {' and '.join(tables.scenarios)}"
    equal = described.subtitle or fixed(shown, getattr(plot, "x", ""))
    whole = " of the whole result" if plot.where else ""
    left_out = f" Left out: {tables.lost:,} of the games{whole}, ended in an error." if tables.lost else ""
    if shown.ended:
        sent = span([*shown.trials[ITEMS_SENT][shown.trials["_unsent"] > 0]])
        left_out += f" Ended early by the adversary: {count(shown.ended, 'game')}, after {sent}."
    drawn = {name.strip() for names in plot.needs for name in names.split(",")}
    if shown.links and (drawn & WITHOUT_LINKS or isinstance(plot, Timeline)):
        left_out += " Without what links add."
    return replace(
        described,
        title=plot.title or heading,
        subtitle=" · ".join(filter(None, [equal, described.marks])),
        note=f"{described.note}{left_out}".strip(),
    )


def own_figure(plot: Plot, key: str) -> ValueError:
    """Return the error of a key that a plot which draws by itself cannot take."""
    return ValueError(f"{key}: {type(plot).__name__} makes its own figure; leave {key} out")


def _shown(tables: Tables, plot: Plot) -> tuple[Plot, Tables]:
    """Return a plot in the task's words, items are steps in some, and the games that it shows."""
    names = tables.called
    axes = {key: names[value] for key in ("x", "y") if (value := getattr(plot, key, "")) in names}
    plot = replace(plot, **axes) if axes else plot
    controls = bool(getattr(plot, "controls", False))
    shown = (tables.with_controls() if controls else tables).where(plot.where)
    shown = shown.with_adversaries_named(getattr(plot, "x", "")).in_words_of_task()
    return plot, shown if controls else shown.with_common_apart()


def figure_of(tables: Tables, plot: Plot, described: Description | Figure | None = None) -> Figure:
    """Return one figure; to be called in the house style. `described` is its description if it is known already."""
    from disttrack.simulator.shown.plots.render import render  # with matplotlib

    made = described or described_of(tables, plot)
    return render(made) if isinstance(made, Description) else made


def _made(shown: Tables, plot: Plot) -> Description | Figure:
    """Return what a plot makes of the games that it shows; errors of a user's class become one line."""
    method: str = "describe"
    wanted: type[Any] = Description
    if hasattr(plot, "draw"):
        from matplotlib.figure import Figure

        method, wanted = "draw", Figure
    name = f"{type(plot).__name__}.{method}"
    try:
        made: Any = getattr(plot, method)(shown)
    except Exception as error:
        if isinstance(error, ValueError) or is_compared(type(plot).__module__):
            raise
        raise ValueError(f"{name} raised {type(error).__name__}: {error}") from error
    if not isinstance(made, wanted):
        raise ValueError(f"{name} must return a {wanted.__module__.split('.')[0]} {wanted.__name__}; got {made!r}")
    checked: Description | Figure = made
    return checked


def describe_again(results: Results) -> None:
    """Describe the figures of a scenario for a page; they have been drawn by this machine, from the same tables."""
    tables = tables_of(results)
    for stem, plot in planned(results, tables, None)[0].items():
        described, path = described_of(tables, plot), results.dir / "figures" / f"{stem}.svg"
        assert isinstance(described, Description)
        caption, svg = caption_of(plot, described), path.read_text(encoding="utf-8")
        results.pictures[stem] = Picture(stem, path, caption, described, svg)


def caption_of(plot: Plot, described: Description | Figure) -> str:
    """Return the caption of one figure, one line of plain text: its numbers, and the fixed parameters.

    A plot that draws by itself, or cannot be drawn from these tables, has the first line of its class's docstring.
    """
    if isinstance(described, Description):
        fixed = f" Fixed: {described.subtitle}." if described.subtitle else ""
        text = f"{values_in_words(described)}{fixed}"
    else:
        text = first_line(type(plot))
    line = " ".join(re.sub(r"\$(\d+)\^\{(\d+)\}\$", r"\1^\2", text).split())  # no formulas in plain text
    return line[:1].upper() + line[1:] + "." * (not line.endswith((".", "!", "?")))


def printed_caption(described: Description, questions: Iterable[str] = ()) -> str:
    """Return the caption of a figure in print: the scenarios' questions, and what a screen has around the panels."""
    sentences = (described.title, *dict.fromkeys(questions), described.subtitle, described.note)
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in sentences if text) + "\n"


def values_in_words(described: Description) -> str:
    """Return the caption of a description or, without one, first and last value of its series, up to `NAMED`.

    Where several marks have one place there is no first and last: of these it is the least and the largest value.
    """
    if described.caption:
        return described.caption
    parts, left = [], NAMED
    for place, panel in enumerate(described.panels):
        titles = [panel.title or described.panels[place % described.columns].title]
        if panel.y.label != described.panels[0].y.label:
            titles.insert(0, panel.y.label)
        series = panel.of(Series, "")
        texts = []
        for one in series[: max(0, left)]:
            values = one.x if panel.y.names else one.y
            scattered = not panel.y.names and len({*map(float, one.x)}) < len(one.x)
            places = sorted(map(float, values)) if scattered else [float(values[0]), float(values[-1])]
            ends = dict.fromkeys(rounded(places[place]) for place in (0, -1))
            power = f", ∝ {symbol(panel.x.label, panel.x.label)}^{one.power}" if one.power else ""
            texts.append(f"{one.name} ({' to '.join(ends)}{power})")
        left -= len(series)
        title = ", ".join(filter(None, titles))
        parts += [f"{title}: " * bool(title) + ", ".join(texts)] if texts else []
    more = f"; {-left} more" if left < 0 else ""
    x, y = described.panels[0].x.label, described.panels[0].y.label
    label = f"{y} against {x}" if y else x
    return f"{label[:1].upper()}{label[1:]}: {'; '.join(parts)}{more}."
