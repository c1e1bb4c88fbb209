"""What a run says at its end, in terminals of 60, 80 and 120 letters and in a pipe, and its report, for some tasks.

The tables are small parts of the reference results, kept here, so that the texts change only when what is printed does.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final

from golden_files import write_all

from disttrack.simulator.experiments.claims.findings import Finding
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.shown.report.report import write_report
from disttrack.simulator.shown.terminal.answered import games_table, pairs_table
from disttrack.simulator.shown.terminal.run_output import claims_table
from disttrack.simulator.shown.terminal.tables import Table

FOLDER: Final = Path(__file__).parent / "terminal"
WIDTHS: Final = {"60": 60, "80": 80, "120": 120, "pipe": None}


def folders() -> list[Path]:
    """Return the folder of the core and those of the wings: ``tests/WING/goldens``."""
    return [FOLDER, *sorted(FOLDER.parents[1].glob("*/goldens"))]


def cases(folder: Path) -> list[Path]:
    """Return the results in a folder of golden texts."""
    return sorted(path.parent for path in folder.glob("*/manifest.json"))


def printed(case: Path, width: int | None) -> str:
    """Return the tables of a result as they are printed."""
    return "\n".join(line for table in tables(case) for line in (*table.lines(width), "")[: None if table.rows else 0])


@cache
def tables(case: Path) -> tuple[Table, Table, Table]:
    """Return the tables of the games, the claims, and the pairs of a result."""
    results = Results(case)
    games = games_table(answer_table(results), numbered=results.task.replayed)
    return games, claims_table(results.manifest["name"], findings(results)), pairs_table(results)


def findings(results: Results) -> list[Finding]:
    """Return the findings that claims.csv holds."""
    texts = ("name", "where", "group", "measure", "bound", "note", "broken", "verdict")
    return [
        Finding(
            **{name: (None if name not in texts else "") if value != value else value for name, value in row.items()}
        )
        for row in results.claims.to_dict("records")
    ]


def reported(case: Path) -> str:
    """Return the report of a result."""
    with tempfile.TemporaryDirectory() as place:
        path = write_report(shutil.copytree(case, Path(place) / case.name))
        return cleaned(path.read_text(encoding="utf-8"))


def cleaned(text: str) -> str:
    """Return a page, a tag a line, without styles, scripts, their digests, pictures and digits of libraries."""
    text = re.sub(r"('sha256-[^']*' ?)+", "…", text)
    text = re.sub(r"<svg\b.*?</svg>", "", text, flags=re.DOTALL)
    text = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r"\d+\.\d{7,}(e-?\d+)?", lambda number: f"{float(number[0]):.6g}", text)
    return re.sub(r">(?=<)", ">\n", text)


def wanted(folder: Path = FOLDER) -> dict[str, Callable[[], str]]:
    """Return what makes each golden text, by its name."""
    mine = cases(folder)
    tables = {f"{case.name}-{name}": partial(printed, case, width) for case in mine for name, width in WIDTHS.items()}
    return tables | {f"{case.name}-report": partial(reported, case) for case in mine}


def regenerate_terminal() -> int:
    """Write every file anew, remove those of no case, and say what has changed."""
    for folder in folders():
        texts = {f"{name}.txt": make() for name, make in wanted(folder).items()}
        write_all(folder, texts, shown=f"{folder.relative_to(FOLDER.parents[1])}/")
    return 0
