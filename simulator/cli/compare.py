"""``disttrack compare``: several results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import FOLDER, JSON, WITH, entry_of
from disttrack.simulator.cli.summary import SIDES
from disttrack.simulator.cli.tables import Column, Table, print_json, print_table, print_text
from disttrack.simulator.errors import ScenarioError

if TYPE_CHECKING:
    from disttrack.simulator.plots.base import Picture
    from disttrack.simulator.results.compared import Compared
    from disttrack.simulator.results.folder import Results

PAGE: Final = "compare.html"


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR DIR…", shell_complete=completion.folders)
@click.option("--plot", "plots", multiple=True, metavar="KIND", help="Draw a figure of all of them: cost:x=sites.")
@click.option("--out", type=FOLDER, help="Folder for the page and the figures; the first DIR if left out.")
@WITH
@JSON
def compare(folders: Sequence[str], plots: Sequence[str], own: dict[str, Any], out: Path | None, as_json: bool) -> None:
    """Put results side by side, with the ratio of the medians at each point that they share; and write a page.

    The first result is compared with each of the others. The page has overlaid figures too.
    """
    from disttrack.simulator.report.compare import write_comparison
    from disttrack.simulator.results.compared import compare_results
    from disttrack.simulator.results.folder import Results

    if len(folders) < 2:
        raise ScenarioError("disttrack compare: takes two results or more")
    results = [Results(folder, own) for folder in folders]
    compared = compare_results(results, _names([result.dir for result in results]))
    for warning in compared.warnings:
        print_text(f"warning: {warning}", err=True)
    place = out or results[0].dir
    pictures = [_picture(text, results, place) for text in plots]
    page = write_comparison(place / PAGE, results, compared, pictures)
    figures = [picture.path for picture in pictures]
    if as_json:
        print_json({**_document(compared), "figures": figures, "page": page})
        return
    print_table(_table(compared))
    for figure in figures:
        print_text(f"figure: {figure}")
    print_text(f"page: {page}")


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
    """Return the comparison: a row for each measure at each point that the first result shares."""
    from disttrack.simulator.results.formats import cell, interval, number

    several = len(compared.names) > 2
    one, two = (compared.names[0], "its value") if several else compared.names
    columns = [Column(name, right=name not in SIDES) for name in compared.headers]
    columns += [Column("measure"), Column(one, right=True), *[Column("other")] * several, Column(two, right=True)]
    columns += [Column("ratio", right=True), Column("95 % interval", right=True, rank=1)]
    rows = [
        [
            *(cell(value) for value in row.point.values()),
            *(row.measure, number(row.one.value), *[row.other] * several, number(row.two.value)),
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
