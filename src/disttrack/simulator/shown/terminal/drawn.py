"""The figures and the page of a result, drawn where they would change; faults are printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from disttrack.simulator.errors import ScenarioError, one_line, shortened

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.folder import Results
    from disttrack.simulator.shown.plots.requests import Request


def write_page(
    results: Results, show: Callable[[str], None] = lambda words: None, *, brief: bool = False
) -> tuple[Path, str]:
    """Write the page about a result, with its figures; return its path, and why some could not be drawn.

    `show` is as for `draw_figures`.
    """
    from disttrack.simulator.experiments.results.stored import ERRORS
    from disttrack.simulator.shown.plots.unchanged import PAGE, Drawing

    drawing = Drawing(results, None, PAGE)
    if not brief and (files := drawing.files()):
        return files[0], ""
    from disttrack.simulator.shown.report.report import write_report

    fault = draw_figures(results, show=show)
    show("report")
    page = write_report(results, fault, brief=brief)
    if not fault and not brief:
        shown = [*sorted(results.dir.glob("figures/*.*")), results.dir / ERRORS]
        drawing.keep([page, *shown])
    return page, fault


def draw_figures(
    results: Results,
    asked: Sequence[Request] | None = None,
    *,
    style: str = "screen",
    look: Mapping[str, str] = MappingProxyType({}),
    show: Callable[[str], None] = lambda words: None,
    drawn: list[Path] | None = None,
) -> str:
    """Draw the figures of a result, or those that are asked for; print and return why some could not be drawn.

    Those that would be written again as they are, are left alone.

    Parameters
    ----------
    style, look
        As for `disttrack.draw`: the look is `scale`, `size` and `font`.
    show
        Is told which figure of how many comes next.
    drawn
        Takes the files, if all figures could be drawn; left out, the figures are described for a page.
    """
    from disttrack.simulator.shown.plots.unchanged import Drawing

    try:
        drawing = Drawing(results, asked, " ".join([style, *filter(None, look.values())]))
        files = drawing.files()
        if not files:
            from disttrack.simulator.shown.plots import draw  # with matplotlib

            files = draw(
                results,
                asked,
                style=style,
                **look,
                on_figure=lambda number, figures: show(f"figure {number} of {figures}"),
            )
            drawing.keep(files)
        elif drawn is None:
            from disttrack.simulator.shown.plots.requests import describe_again

            describe_again(results)
    except ScenarioError:  # there are no results
        raise
    except ValueError as error:
        click.echo(one_line(shortened(f"figures: {error}")), err=True)
        return str(error)
    if drawn is not None:
        drawn += files
    return ""
