"""Synthetic results with edited games: what figures, tables and comparisons show of them, and what they refuse.

A file has blocks: a line `# …` of why what is shown is right, then in YAML each result (the sizes of `write_result`, or
a `scenario`, which is played; `edits`; `set`) and what is shown of them, and below it, indented, the text. Blocks are
added by hand, without the text; ``python tests/goldens`` writes it.

An edit is `WHERE; COLUMN = VALUE; …` over the rows of trials.csv, or of another table, `series: WHERE; …`;
`WHERE; drop` removes rows. `set` gives parameters to all points, `protocol: {delta: 1}`, or to those of a kind,
`robust: {delta: 1}`; null takes one away, and `=` begins an expression in the point's sizes. A block that has `more`,
further edits, goes on with the results of the block above it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, nan
from pathlib import Path
from typing import Any, Final

import pandas as pd
import yaml
from click.testing import CliRunner
from golden_figures import told
from golden_files import write_all
from synthetic_results import write_result

from disttrack.simulator.cli import main
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.shown.plots.requests import caption_of, described_of, plot_of
from disttrack.simulator.shown.terminal.answered import games_table, pairs_table

FOLDER: Final = Path(__file__).parent / "edited"
INDENT: Final = "    "
USUAL: Final = {"sites": [16, 64], "trials": 2, "protocols": ["deterministic"], "adversaries": ["freeze"], "plots": []}
"""The sizes of a result that states no others."""


def edit(folder: Path, text: str) -> None:
    """Change the games of a result, or the rows of another of its tables."""
    name, colon, rest = text.partition(": ")
    table = folder / f"{name if colon else 'trials'}.csv"
    where, *changes = (rest if colon else text).split("; ")
    rows = pd.read_csv(table)
    chosen = rows.eval(where) if where else pd.Series(True, rows.index)
    if changes == ["drop"]:
        rows = rows[~chosen]
    for change in () if changes == ["drop"] else changes:
        column, _, value = change.partition(" = ")
        new = eval(value, {"inf": inf, "nan": nan, **{key: rows[key] for key in rows}})
        old = rows[column].astype(object) if column in rows else pd.Series(nan, rows.index, dtype=object)
        rows[column] = old.mask(chosen, new)
    rows.to_csv(table, index=False)


def set_parameters(folder: Path, given: Mapping[str, Any]) -> None:
    """Give the points of a result parameters of sides, or sizes."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for name, more in given.items():
        if name == "scenario":
            manifest["scenario"] |= more
        elif name == "manifest":
            manifest |= more
        for point in manifest["points"]:
            for side in ("protocol", "adversary", "network"):
                if name in (side, (point.get(side) or {}).get("kind")):
                    new = {**(point.get(side) or {}), **more}
                    point[side] = {key: value for key, value in new.items() if value is not None}
            if not isinstance(more, dict):
                point[name] = eval(more[1:], dict(point)) if str(more).startswith("=") else more
    path.write_text(json.dumps(manifest), encoding="utf-8")


def made(folder: Path, sizes: Mapping[str, Any]) -> Path:
    """Write a result, or play a scenario, and edit what has been written."""
    given = {**USUAL, **sizes}
    edits, parameters = given.pop("edits", ()), given.pop("set", {})
    if "scenario" in sizes:
        run({"name": "played", "trials": 2, "plots": [], **sizes["scenario"]}, out=folder, workers=1)
    else:
        write_result(folder, **given)
    set_parameters(folder, parameters)
    for text in edits:
        edit(folder, text)
    return folder


def figure(folders: Sequence[Path], request: dict[str, Any]) -> str:
    """Return what a figure describes, and its caption."""
    tables = read_tables(folders)
    plot = plot_of(request, tables)
    described = described_of(tables, plot)
    return "\n".join([*told(described), f"in words: {caption_of(plot, described)}"])


def comparison(folders: Sequence[Path], flags: Sequence[str]) -> str:
    """Return what the terminal says of a comparison."""
    return CliRunner().invoke(main, ["compare", *map(str, folders), *flags], terminal_width=120).output


SHOWN: Final[Mapping[str, Callable[[Sequence[Path], Any], str]]] = {
    "figure": figure,
    "compare": comparison,
    "table": lambda folders, width: "\n".join(games_table(answer_table(folders[0])).lines(width)),
    "pairs": lambda folders, width: "\n".join(pairs_table(Results(folders[0])).lines(width)),
}
"""What may be shown: a figure, a comparison in the terminal with flags, tables of a run in a width."""


def shown(folders: Sequence[Path], what: str, request: Any) -> str:
    """Return what is shown of results, or why it is refused."""
    try:
        return SHOWN[what](folders, request)
    except (ScenarioError, ValueError) as error:
        return f"refused: {error}"


def written(path: Path, folder: Path) -> str:
    """Return a file as it is now; its results are written below a folder."""
    blocks, folders = [], []
    for number, block in enumerate(path.read_text(encoding="utf-8").strip().split("\n\n")):
        head = [line for line in block.splitlines() if not line.startswith(INDENT)]
        keys = yaml.safe_load("\n".join(head))
        if "more" in keys:
            for text in keys.pop("more"):
                edit(folders[0], text)
        requests = [(name, keys.pop(name)) for name in SHOWN if name in keys]
        if keys:
            folders = [made(folder / path.stem / str(number) / name, sizes or {}) for name, sizes in keys.items()]
        (text,) = (shown(folders, what, request) for what, request in requests)
        lines = text.replace(str(folders[0].parent), "…").splitlines()
        blocks.append("\n".join([*head, *(f"{INDENT}{line}".rstrip() or INDENT for line in lines)]))
    return "\n\n".join(blocks) + "\n"


def wanted(folder: Path) -> dict[str, Callable[[], str]]:
    """Return what makes each golden text, by its name."""
    return {path.stem: partial(written, path, folder) for path in sorted(FOLDER.glob("*.txt"))}


def regenerate_edited(folder: Path) -> int:
    """Write what is shown in each file anew, and say what has changed."""
    write_all(FOLDER, {f"{name}.txt": make() for name, make in wanted(folder).items()}, shown="edited/")
    return 0
