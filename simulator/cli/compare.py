"""``disttrack compare``: several results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from simulator.cli import complete
from simulator.cli.layout import Column
from simulator.cli.plot import STYLE
from simulator.cli.summary import SIDES
from simulator.cli.tables import Form, form_options, plain, print_json, print_table, say
from simulator.results.formats import cell

if TYPE_CHECKING:
    from simulator.results.folder import Results


SETTING: Final = ("protocol", "adversary", "sites", "items", "alpha")
"""What a row is; other swept parameters are added to it."""


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR DIR…", shell_complete=complete.folders)
@click.option(
    "--plot",
    "plots",
    multiple=True,
    metavar="KIND[:X]",
    help="Draw a figure of all of them, for example cost:sites.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the figures and the page; figures if left out.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page of the comparison; compare.html in the folder of --out, or else of the first result, if left out.",
)
@STYLE
@form_options
def compare(
    folders: tuple[str, ...],
    plots: tuple[str, ...],
    out: Path | None,
    html: Path | None,
    style: str,
    form: Form,
) -> None:
    """Put results side by side: what answers the question of each of them, where their points agree; and write a page.

    The page has a row for each measure at each point that the results share, with the ratio of the medians and its
    interval, overlaid figures, and in what else the results differ.
    """
    from simulator.errors import ScenarioError
    from simulator.results.folder import Results

    results = [Results(folder) for folder in folders]
    found = _side_by_side(results)
    drawn = []
    if plots:
        from simulator.plots import compare as draw

        for text in plots:
            try:
                drawn.append([str(path) for path in draw(results, _request(text), out, style)])
            except ValueError as error:
                raise ScenarioError(f"--plot {text}: {error}") from error
    page: Path | None = None
    if len(results) > 1:
        page = _write_page(html or (out or results[0].dir) / "compare.html", results, found.names, plots, out)
    if form == "json":
        rows = [{**row.setting, "results": row.values} for row in found.rows]
        print_json({"shared": found.shared, "matched": found.matched, "rows": rows, "figures": drawn, "page": page})
    elif form == "table":
        found.tell()
        for paths in drawn:
            click.echo("figure: " + ", ".join(paths))
        if page is not None:
            click.echo(f"page: {page}")


def _write_page(
    path: Path, results: Sequence[Results], names: list[str], plots: tuple[str, ...], out: Path | None
) -> Path:
    """Write the page and return its path; its warnings are told in lines as well."""
    from simulator.plots.figures import compared_figure
    from simulator.report.compare import write_comparison
    from simulator.report.figures import Picture
    from simulator.results.compared import compare_results

    compared = compare_results(results, names)
    for warning in compared.warnings:
        say(f"warning: {warning}", err=True)
    pictures = []
    for text in plots:
        stem, caption, figure = compared_figure(results, _request(text))
        file = Path(out or "figures") / f"{stem}.svg"
        pictures += [Picture(stem, file, caption, figure)] if file.is_file() else []  # of a paper's style there is none
    return write_comparison(path, results, compared, pictures)


@dataclass(frozen=True)
class Row:
    """What several results say of one setting.

    Attributes
    ----------
    setting
        The parameters of its points.
    values, texts
        For each result that has such a point, by its name: its answers by header, and the same as readers see them.
    """

    setting: dict[str, Any]
    values: dict[str, dict[str, Any]]
    texts: dict[str, dict[str, str]]


@dataclass(frozen=True)
class Comparison:
    """Several results side by side: what all points share, and a row for each setting in which they differ."""

    names: list[str]
    shared: dict[str, Any]
    rows: list[Row]

    @property
    def matched(self) -> bool:
        """Tell whether there is anything to compare."""
        return len(self.names) == 1 or any(len(row.values) > 1 for row in self.rows)

    def tell(self) -> None:
        """Print it as a table."""
        keys = [key for key in self.rows[0].setting if key not in self.shared] or list(self.rows[0].setting)[:1]
        answers = list(dict.fromkeys(header for row in self.rows for mine in row.texts.values() for header in mine))
        columns = [Column(key, right=key not in SIDES, key=True, named=key in SIDES) for key in keys]
        columns += [Column(f"{answer}: {name}", right=True) for answer in answers for name in self.names]
        rows = [
            [
                *(cell(row.setting[key]) for key in keys),
                *(row.texts.get(name, {}).get(answer, "") for answer in answers for name in self.names),
            ]
            for row in self.rows
        ]
        filled = [place for place, column in enumerate(columns) if column.key or any(row[place] for row in rows)]
        subtitle = " · ".join(f"{key} {cell(value)}" for key, value in self.shared.items() if key not in keys)
        print_table(
            " | ".join(self.names), [columns[i] for i in filled], [[row[i] for i in filled] for row in rows],
            subtitle=subtitle, notes=() if self.matched else ("no point is in more than one of these results",),
        )  # fmt: skip


def _side_by_side(results: Sequence[Results]) -> Comparison:
    """Return what the results say, matched by all parameters that any of them sweeps."""
    from simulator.claims.columns import TRIALS
    from simulator.results.answers import cells_by_point, games_by_point
    from simulator.results.read import read_tables

    names = _names([result.dir for result in results])
    # a task's own measures are marked with an underscore there
    swept = [name for result in results for name in read_tables([result]).trials.columns]
    known = (*TRIALS, "result")
    keys = [*SETTING, *dict.fromkeys(name for name in swept if name not in known and name[0] != "_")]
    rows: dict[tuple[Any, ...], Row] = {}
    for name, result in zip(names, results, strict=True):
        answers = [(answer.header, cells) for answer, cells in cells_by_point(result) if not answer.rank]
        for place, games in enumerate(games_by_point(result)):
            first = games.iloc[0].reindex(keys)
            setting = {key: None if value != value else plain(value) for key, value in first.items()}
            row = rows.setdefault(tuple(setting.values()), Row({str(key): one for key, one in setting.items()}, {}, {}))
            row.values[name] = {header: cells[place][0] for header, cells in answers}
            row.texts[name] = {header: cells[place][1] for header, cells in answers}
    found = list(rows.values())
    shared = {key: found[0].setting[key] for key in keys if len({str(row.setting[key]) for row in found}) == 1}
    return Comparison(names, {key: value for key, value in shared.items() if value is not None}, [
        Row({key: value for key, value in row.setting.items() if key not in shared or shared[key] is not None},
            row.values, row.texts)
        for row in found
    ])  # fmt: skip


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
