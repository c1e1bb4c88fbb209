"""What a run says at its end, in terminals of 60, 80 and 120 letters and in a pipe, for the tables of four tasks.

The tables are small parts of the reference results, kept here, so that the texts change only when what is printed does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from golden_files import write_all

from disttrack.simulator.claims.judge import Finding
from disttrack.simulator.cli.summary import claims_table, games_table
from disttrack.simulator.results.answers import answer_table
from disttrack.simulator.results.folder import Results

FOLDER: Final = Path(__file__).parent / "terminal"
CASES: Final = ("count", "counter", "experts", "sketch")
WIDTHS: Final = {"60": 60, "80": 80, "120": 120, "pipe": None}


def printed(case: str, width: int | None) -> str:
    """Return the tables of a case as they are printed."""
    results = Results(FOLDER / case)
    games = games_table(answer_table(results), f"results/{results.manifest['name']}/trials.csv")
    claims = claims_table(results.manifest["name"], findings(results))
    return "\n".join([*games.lines(width), "", *claims.lines(width)]) + "\n"


def findings(results: Results) -> list[Finding]:
    """Return the findings that claims.csv holds."""
    texts = ("name", "where", "group", "measure", "bound", "note", "broken", "verdict")
    return [
        Finding(
            **{name: (None if name not in texts else "") if value != value else value for name, value in row.items()}
        )
        for row in results.claims.to_dict("records")
    ]


def wanted() -> dict[str, str]:
    """Return every golden file by its name, as it should be."""
    return {f"{case}-{name}.txt": printed(case, width) for case in CASES for name, width in WIDTHS.items()}


def regenerate_terminal() -> int:
    """Write every file anew, remove those of no case, and say what has changed."""
    write_all(FOLDER, wanted(), shown="terminal/")
    return 0
