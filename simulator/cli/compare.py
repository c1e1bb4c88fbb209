"""``disttrack compare``: several results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.plot import WITH, named
from disttrack.simulator.cli.point_flags import entry_of
from disttrack.simulator.cli.summary import SIDES
from disttrack.simulator.cli.tables import FOLDER, JSON, Column, Table, print_json, print_table, say
from disttrack.simulator.errors import ScenarioError

if TYPE_CHECKING:
    from disttrack.simulator.plots.base import Picture
    from disttrack.simulator.results.compared import Compared
    from disttrack.simulator.results.folder import Results

PAGE: Final = "compare.html"


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR DIR…", shell_complete=complete.folders)
@click.option(
    "--plot",
    "plots",
    multiple=True,
    metavar="KIND",
    help="Draw a figure of all of them, for example cost:x=sites.",
)
@click.option("--out", type=FOLDER, help="Folder for the page and the figures; the first DIR if left out.")
@WITH
@JSON
def compare(
    folders: tuple[str, ...], plots: tuple[str, ...], own: tuple[str, ...], out: Path | None, as_json: bool
) -> None:
    """Put results side by side, with the ratio of the medians at each point that they share; and write a page.

    The first result is compared with each of the others. The page has overlaid figures too.
    """
    from disttrack.simulator.report.compare import write_comparison
    from disttrack.simulator.results.compared import compare_results
    from disttrack.simulator.results.folder import Results

    if len(folders) < 2:
        raise ScenarioError("disttrack compare: takes two results or more")
    classes = named(own)
    results = [Results(folder, classes) for folder in folders]
    compared = compare_results(results, _names([result.dir for result in results]))
    for warning in compared.warnings:
        say(f"warning: {warning}", err=True)
    place = out or results[0].dir
    pictures = [_picture(text, results, place) for text in plots]
    page = write_comparison(place / PAGE, results, compared, pictures)
    figures = [picture.path for picture in pictures]
    if as_json:
        print_json({**_document(compared), "figures": figures, "page": page})
        return
    print_table(_table(compared))
    for figure in figures:
        say(f"figure: {figure}")
    say(f"page: {page}")


def _picture(text: str, results: Sequence[Results], folder: Path) -> Picture:
    """Draw a figure of all results and return it for the page."""
    from disttrack.simulator.plots import compare as draw

    try:
        return draw(results, entry_of(text), folder)
    except ValueError as error:
        raise ScenarioError(f"--plot {text}: {error}") from error


def _document(compared: Compared) -> dict[str, Any]:
    """Return the comparison for programs: a row for each measure at each point that the first result shares."""
    return {
        "results": compared.names,
        "shared": {one.header: one.given for one in compared.shared},
        "rows": [asdict(row) for row in compared.rows],
        "alone": compared.alone,
        "warnings": compared.warnings,
    }


def _table(compared: Compared) -> Table:
    """Return the comparison as a table: a row for each measure at each point that the first result shares."""
    from disttrack.simulator.results.formats import cell, interval, number

    columns = [Column(name, right=name not in SIDES) for name in compared.headers]
    columns += [
        Column("measure"),
        Column(compared.names[0], right=True),
        Column("other"),
        Column("its value", right=True),
    ]
    columns += [Column("ratio", right=True), Column("95 % interval", right=True, rank=1)]
    rows = [
        [
            *(cell(value) for value in row.point.values()),
            *(row.measure, number(row.one.value), row.other, number(row.two.value)),
            *(number(row.ratio), interval(row.low, row.high)),
        ]
        for row in compared.rows
    ]
    notes = [f"points that no other result has: {compared.alone_in_words}"] if compared.alone_in_words else []
    return Table(" | ".join(compared.names), columns, rows, compared.subtitle, notes)


def _names(folders: list[Path]) -> list[str]:
    """Return short names: the last part of each path, the whole path where two are the same."""
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]
