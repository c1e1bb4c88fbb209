"""``disttrack compare``: several results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.layout import Column, Table
from disttrack.simulator.cli.plot import STYLE, WITH, named
from disttrack.simulator.cli.summary import SIDES
from disttrack.simulator.cli.tables import FILE, FOLDER, Form, form_options, print_json, print_table, say
from disttrack.simulator.results.formats import cell

if TYPE_CHECKING:
    from disttrack.simulator.results.compared import Compared
    from disttrack.simulator.results.folder import Results

Answers = list[dict[str, list[tuple[Any, str]]]]
"""For each result its answers by header: the value and its text at each of its points."""


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR DIR…", shell_complete=complete.folders)
@click.option(
    "--plot",
    "plots",
    multiple=True,
    metavar="KIND[:X]",
    help="Draw a figure of all of them, for example cost:sites.",
)
@click.option("--out", type=FOLDER, help="Folder for the figures and the page; figures if left out.")
@click.option(
    "--html",
    type=FILE,
    help="The page of the comparison; compare.html in the folder of --out, or else of the first result, if left out.",
)
@WITH
@STYLE
@form_options
def compare(
    folders: tuple[str, ...],
    plots: tuple[str, ...],
    own: tuple[str, ...],
    out: Path | None,
    html: Path | None,
    style: str,
    form: Form,
) -> None:
    """Put results side by side: what answers the question of each of them, where their points agree; and write a page.

    The page has a row for each measure at each point that the results share, with the ratio of the medians and its
    interval, overlaid figures, and in what else the results differ.
    """
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.results.answers import cells_by_point
    from disttrack.simulator.results.compared import compare_results
    from disttrack.simulator.results.folder import Results

    classes = named(own)
    results = [Results(folder, classes) for folder in folders]
    compared = compare_results(results, _names([result.dir for result in results]))
    drawn = []
    if plots:
        from disttrack.simulator.plots import compare as draw

        for text in plots:
            try:
                drawn.append([str(path) for path in draw(results, _request(text), out, style)])
            except ValueError as error:
                raise ScenarioError(f"--plot {text}: {error}") from error
    page: Path | None = None
    if len(results) > 1:
        page = _write_page(html or (out or results[0].dir) / "compare.html", results, compared, plots, out)
    answers: Answers = [
        {answer.header: cells for answer, cells in cells_by_point(one) if not answer.rank} for one in results
    ]
    if form == "json":
        print_json({**_document(compared, answers), "figures": drawn, "page": page})
    elif form == "table":
        print_table(_table(compared, answers))
        for paths in drawn:
            click.echo("figure: " + ", ".join(paths))
        if page is not None:
            click.echo(f"page: {page}")


def _write_page(
    path: Path, results: Sequence[Results], compared: Compared, plots: Sequence[str], out: Path | None
) -> Path:
    """Write the page and return its path; its warnings are printed as well."""
    from disttrack.simulator.plots.figures import compared_figure
    from disttrack.simulator.report.compare import write_comparison
    from disttrack.simulator.report.figures import Picture

    for warning in compared.warnings:
        say(f"warning: {warning}", err=True)
    pictures = []
    for text in plots:
        stem, caption, described = compared_figure(results, _request(text))
        file = Path(out or "figures") / f"{stem}.svg"
        pictures += (
            [Picture(stem, file, caption, described)] if file.is_file() else []
        )  # of a paper's style there is none
    return write_comparison(path, results, compared, pictures)


def _document(compared: Compared, answers: Answers) -> dict[str, Any]:
    """Return the comparison for programs: a row for each point, with the answers of each result that has it."""
    matched, names = compared.matched, compared.names
    rows = []
    for point in matched.points:
        by_name = {
            names[place]: {header: cells[row][0] for header, cells in answers[place].items()}
            for place, row in point.places.items()
        }
        rows.append({**point.setting, "results": by_name})
    return {
        "shared": matched.shared,
        "matched": matched.common or len(names) == 1,
        "rows": rows,
        "alone": dict(zip(names, compared.alone, strict=True)),
        "warnings": list(compared.warnings),
    }


def _table(compared: Compared, answers: Answers) -> Table:
    """Return the comparison as a table: a row for each point, a column for each answer of each result."""
    matched, names = compared.matched, compared.names
    keys = matched.columns
    headers = dict.fromkeys(header for mine in answers for header in mine)
    asked = [(header, place) for header in headers for place in range(len(names))]
    columns = [Column(key.replace("_", " "), right=key not in SIDES, key=True) for key in keys]
    columns += [Column(f"{header}: {names[place]}", right=True) for header, place in asked]
    rows = []
    for point in matched.points:
        cells = [
            answers[place][header][point.places[place]][1] if place in point.places and header in answers[place] else ""
            for header, place in asked
        ]
        rows.append([*map(point.said, keys), *cells])
    subtitle = " · ".join(f"{key} {cell(matched.shared[key])}" for key in matched.head if key not in keys)
    notes = []
    if not matched.common and len(names) > 1:
        notes.append("no point is in more than one of these results")
    elif matched.common and any(compared.alone):
        notes.append(f"points that no other result has: {compared.alone_in_words}")
    return Table(" | ".join(names), columns, rows, subtitle, notes)


def _names(folders: list[Path]) -> list[str]:
    """Return short names: the last part of each path, the whole path where two are the same."""
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]


def _request(text: str) -> dict[str, str]:
    """Return the plot that KIND[:X] asks for; a kind by reference has a colon of its own.

    Examples
    --------
    >>> _request("cost:sites"), _request("mine.py:Mine:sites")
    ({'kind': 'cost', 'x': 'sites'}, {'kind': 'mine.py:Mine', 'x': 'sites'})
    >>> _request("matrix"), _request("mine.py:Mine")
    ({'kind': 'matrix'}, {'kind': 'mine.py:Mine'})
    """
    kind, *rest = text.split(":")
    if rest and (kind.endswith(".py") or rest[0][:1].isupper()):
        kind = f"{kind}:{rest.pop(0)}"
    return {"kind": kind, **({"x": rest[0]} if rest and rest[0] else {})}
