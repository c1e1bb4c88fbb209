"""The page of a comparison: ratios a row, overlaid figures, warnings; in a browser as quiet as the report."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from chromium import Opened, chromium
from click.testing import CliRunner
from synthetic_results import write_result

from disttrack.simulator.cli import main
from disttrack.simulator.plots.description import Series
from disttrack.simulator.plots.overlay import overlay
from disttrack.simulator.report.compare import write_comparison
from disttrack.simulator.results.compared import compare_results
from disttrack.simulator.results.folder import Results

EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("compare")
    kinds = ("robust", "randomized")
    return [
        write_result(place / "one", sites=(16, 64), protocols=kinds, trials=7, plots=()),
        write_result(place / "two", sites=(64, 256), protocols=kinds, trials=7, plots=(), title=EVIL),
    ]


@pytest.fixture(scope="module")
def written(folders: list[Path]) -> Path:
    results = [Results(folder) for folder in folders]
    names = ["one", EVIL]
    return write_comparison(folders[0].parent / "page.html", results, compare_results(results, names))


def test_the_page_has_ratios_and_unmatched_points(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    assert EVIL not in text
    assert f"4 of one without a match: sites 16 not in {EVIL}." in unescape(text)
    assert text.count("class='figure'") == 2  # error/alpha and words
    assert "Fewer than seven games give none" in text
    assert len(text) < 1_000_000


def test_the_figure_has_the_medians_of_the_points_that_both_have(folders: list[Path]) -> None:
    (panel,) = overlay(compare_results([Results(folder) for folder in folders], ["one", "two"]), "words").panels
    assert len(panel.y.names) == 4  # two protocols against two adversaries, at 64 sites
    for series, folder in zip(panel.of(Series, ""), folders, strict=True):
        rows = pd.read_csv(folder / "trials.csv")
        for words, at in zip(series.x, series.y, strict=True):
            protocol, adversary = panel.y.names[round(at)].split(", ")[0].split(" against ")
            mine = rows[(rows["protocol"] == protocol) & (rows["adversary"] == adversary) & (rows["sites"] == 64)]
            assert words == sorted(mine["words"])[3]


def test_the_page_counts_the_points_that_differ(tmp_path: Path) -> None:
    places = [write_result(tmp_path / name, sites=(64,), trials=9, plots=()) for name in ("one", "two")]
    rows = pd.read_csv(places[1] / "trials.csv")
    rows.loc[rows["protocol"] == "robust", "words"] *= 3
    rows.to_csv(places[1] / "trials.csv", index=False)
    results = [Results(place) for place in places]
    page = write_comparison(tmp_path / "page.html", results, compare_results(results, ["one", "two"]))
    text = page.read_text(encoding="utf-8")
    assert "of two: 1 to 3 times that of one at 8 matched points; the interval excludes 1 at 2 of them" in text
    assert "9 of 9" in text


def test_the_command_writes_the_page(folders: list[Path], tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["compare", *map(str, folders), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert f"page: {tmp_path / 'compare.html'}" in done.stdout
    assert (tmp_path / "compare.html").is_file()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def test_in_a_browser_it_is_accessible_and_asks_for_nothing(browser: Any, written: Path) -> None:
    opened = Opened(browser, written, width=400, dark=True)
    opened.page.wait_for_selector("html[data-figures='drawn']", timeout=60_000)
    assert opened.faults() == []
    assert opened.reach() <= 0
    assert (opened.asked, opened.complaints) == ([], [])
    assert opened.page.locator("#points tbody tr").count() == 4 * 3
    opened.close()
