"""Reports of a synthetic result with all that a manifest may say, notebooks, and comparisons in the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pandas as pd
from click.testing import CliRunner
from golden_files import write_all
from golden_terminal import cleaned
from synthetic_results import write_claims, write_result

from disttrack import Exact, Freeze, Randomized, Results, RoundRobin, load, play
from disttrack.simulator.cli import main
from disttrack.simulator.shown.report.report import write_report

FOLDER: Final = Path(__file__).parent / "pages"
SMALL: Final[dict[str, Any]] = {"sites": (16, 64), "protocols": ("robust", "randomized"), "plots": ("matrix",)}
MANIFEST: Final[dict[str, Any]] = {
    "name": "a name", "rules": 7, "begun": "2030-01-02T03:04:05", "seconds": 12345.6, "workers": "6 processes",
    "machine": {"system": "Some system", "cores": 12, "python": "3.99"}, "games": {"played": 1200, "kept": 34},
    "seeds": list(range(100, 112)), "versions": {"disttrack": "9.8", "numpy": "7.6", "polars": None},
    "code": {"digest": "0123456789abcdef"}, "files": {"/a/folder/mine.py": "fedcba9876543210"},
    "comment": "Which one?\n\nThis one,\nand that.\n\nA second paragraph.",
}  # fmt: skip
WRITTEN: Final = [
    {"name": "controlled", "source": ["Theorem 1", "Lemma 2"]},
    {"name": "alone", "source": "Theorem 3", "no_control": "nothing to break"},
    {"name": "open"}, {"name": "hollow"}, {"name": "broken"},
]  # fmt: skip
LOSSY: Final = {"latency": 3, "loss": 0.2, "link": "reliable"}
CLAIMS: Final = (
    {"name": "controlled", "measure": "fraction(ok)", "where": "sites == 16", "group": "alpha == 0.1", "value": 0.9871,
     "low": 0.9, "high": 1.0, "bound": ">= 0.95", "control": 0.41, "broken": "no noise", "false_alarm": 2e-7,
     "power": 0.85, "played": 99, "verdict": "PASS"},
    {"name": "alone", "measure": "median(words)", "value": 123456.0, "bound": "<= 5", "verdict": "FAIL"},
    {"name": "open", "measure": "max(words)", "note": "too few games", "bound": "<= 5", "verdict": "UNDECIDED"},
    {"name": "hollow", "measure": "max(bits)", "value": 2.0, "bound": "<= 5", "control": 1.0, "verdict": "VACUOUS"},
)  # fmt: skip
RESULTS: Final[dict[str, dict[str, Any]]] = {
    "one": {**SMALL, "trials": 7},
    "two": {**SMALL, "sites": (64, 256), "trials": 8},
    "three": {**SMALL, "sites": (64,), "trials": 1, "alphas": (0.1,), "protocols": ("robust",)},
    "fewer": {**SMALL, "sites": (16,), "trials": 7},
}


@cache
def result(folder: Path, name: str) -> Path:
    """Write a synthetic result and return its folder; that of the first one has claims and a full manifest."""
    made = write_result(folder / name, **RESULTS[name])
    manifest = json.loads((made / "manifest.json").read_text(encoding="utf-8"))
    rows = pd.read_csv(made / "trials.csv")
    if name == "one":
        manifest |= MANIFEST
        manifest["scenario"] |= {"seed": 77, "claims": WRITTEN, "engine": "leap"}
        for point in manifest["points"]:
            point["engine"] = ("leap", "step")[point["sites"] == 16]
        write_claims(made, *CLAIMS)
    if name == "two":
        rows.loc[rows["protocol"] == "robust", "words"] *= 3
        manifest |= {"rules": 8, "files": {"/another/mine.py": "1234567890abcdef"}}
    (made / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    rows.to_csv(made / "trials.csv", index=False)
    return made


def reported(folder: Path, brief: bool = False) -> str:
    """Return the report of the first result, of which no figure has been drawn."""
    return cleaned(write_report(result(folder, "one"), brief=brief).read_text(encoding="utf-8"))


def in_notebook(folder: Path, make: Callable[[], Any]) -> str:
    """Return what a notebook shows of an object, without folders and the duration of a game."""
    return re.sub(rf"(?<=<dd>leap \(asked for\)), [^<]*|{re.escape(str(folder))}/", "", cleaned(make()._repr_html_()))


def compared(folder: Path, *names: str) -> str:
    """Return what the terminal says of a comparison."""
    places = [str(result(folder, name)) for name in names]
    return CliRunner().invoke(main, ["compare", *places]).output


def wanted(folder: Path) -> dict[str, Callable[[], str]]:
    """Return what makes each golden text, by its name; results and pages are written to a folder."""
    pairs = (("one", "two"), ("one", "two", "three"), ("one", "fewer"), ("two", "three"))
    comparisons = {f"compare-{'-'.join(names)}": partial(compared, folder, *names) for names in pairs}
    shown = {
        "game": partial(play, Randomized(alpha=0.1), Freeze(), sites=64, items=5000, seed=3, engine="leap"),
        "network": partial(play, Exact(), RoundRobin(), sites=2, items=60, network=LOSSY, engine="leap"),
        "scenario": partial(load, "headline"),
        "result": lambda: Results(result(folder, "two")),
    }
    notebooks = {f"notebook-{name}": partial(in_notebook, folder, make) for name, make in shown.items()}
    reports = {"report": partial(reported, folder), "brief": partial(reported, folder, brief=True)}
    return reports | notebooks | comparisons


def regenerate_pages(folder: Path) -> int:
    """Write every file anew, remove those of no page, and say what has changed."""
    write_all(FOLDER, {f"{name}.txt": make() for name, make in wanted(folder).items()}, shown="pages/")
    return 0
