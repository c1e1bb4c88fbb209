"""The report in a browser: it asks for nothing, complains of nothing, and is worked by mouse and keyboard alike."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from chromium import Opened, chromium
from synthetic_results import write_claims, write_result

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.shown.plots import draw
from disttrack.simulator.shown.report.report import write_report

EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plots = [{"kind": "cost", "x": "sites"}, "matrix", "breakdown", "timeline", {"kind": "error", "x": "sites"}]
    folder = tmp_path_factory.mktemp("browser") / "result"
    write_result(folder, sites=(16, 256), trials=2, title=f"A report {EVIL}", plots=plots)
    rows = pd.read_csv(folder / "trials.csv")
    rows.loc[rows["protocol"] == "deterministic", "max_rel_error"] = 0.0625 * rows["alpha"]
    rows.to_csv(folder / "trials.csv", index=False)
    held = {"measure": "fraction(ok)", "value": 0.98, "low": 0.9, "high": 1.0, "bound": ">= 0.95", "verdict": "PASS"}
    words = {"measure": "median(words)", "value": 123456.0, "bound": "<= 5", "verdict": "FAIL"}
    write_claims(folder, {"name": f"it holds {EVIL}", **held}, {"name": "another", **words})
    results = Results(folder)
    draw(results)
    return write_report(results)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def wide(browser: Any, written: Path) -> Iterator[Opened]:
    opened = Opened(browser, written)
    opened.page.wait_for_selector("html[data-figures='drawn']", timeout=60_000)
    yield opened
    opened.close()


def test_it_asks_for_nothing_and_complains_of_nothing(wide: Opened) -> None:
    assert wide.page.locator(".figure .picture > svg").count() >= 4
    assert (wide.asked, wide.complaints) == ([], [])
    assert wide.page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')") == "refused"
    wide.complaints.clear()  # of what has just been refused
    assert wide.asked == []


def test_a_series_is_switched_off_and_on_with_the_keyboard(wide: Opened) -> None:
    figure = wide.page.locator(".figure").first
    button = figure.get_by_role("button", name="robust", exact=True)
    parts = "[...document.querySelectorAll('#figure-1 [id*=series-]')].filter(one => {}).length"
    parts = parts.replace("{}", "getComputedStyle(one).visibility === 'visible'")
    before = wide.page.evaluate(parts)
    button.focus()
    wide.page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    assert 0 < wide.page.evaluate(parts) < before
    wide.page.keyboard.press("Space")
    assert button.get_attribute("aria-pressed") == "true"
    assert wide.page.evaluate(parts) == before


def test_a_series_that_is_switched_off_takes_no_label_of_another_one_along(wide: Opened) -> None:
    """Letters of later labels may be drawn with the outlines that an earlier one holds."""
    figure = wide.page.locator(".figure").first
    labels, shown = figure.locator("[id$='-label']"), "one => getComputedStyle(one).visibility === 'visible'"
    lost = """all => all.flatMap((label) => [...label.querySelectorAll("use")]).filter((use) =>
        !document.getElementById(use.href.baseVal.slice(1)).checkVisibility({checkVisibilityCSS: false})).length"""
    assert labels.count() == 4
    outlines = "all => all.filter((label) => label.querySelector('defs')).length"
    assert labels.evaluate_all(outlines) > 0
    button = figure.get_by_role("button", name="deterministic", exact=True)
    button.click()
    assert [labels.nth(place).evaluate(shown) for place in range(4)] == [False, True, True, True]
    assert labels.evaluate_all(lost) == 0
    button.click()


def test_values_under_the_pointer_are_shown(wide: Opened) -> None:
    """The pointer stands on the last mark of the line that was drawn first in the first panel."""
    last = wide.page.locator("#figure-1 [id*='series-0-']:not([id$='label']) use").last
    last.scroll_into_view_if_needed()
    mark = last.bounding_box()
    assert mark is not None
    wide.page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    box = wide.page.locator(".figure .tip").first
    shown = box.inner_text()
    assert box.is_visible()
    assert shown.splitlines()[0] == "deterministic"
    assert "number of sites, k: 256" in shown
    assert "words: " in shown
    wide.page.mouse.move(0, 0)
    assert box.is_hidden()


def test_values_below_the_scale_are_saved_as_they_are(wide: Opened) -> None:
    with wide.page.expect_download() as waiting:
        wide.page.locator(".figure").last.get_by_role("button", name="as CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    mine = [row["largest error, in units of α"] for row in rows if row["series"] == "deterministic" and not row["part"]]
    assert mine
    assert {float(value) for value in mine} == {0.0625}


@pytest.mark.parametrize(("form", "begins"), [("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("CSV", b"panel,series")])
def test_a_figure_is_downloaded(wide: Opened, form: str, begins: bytes) -> None:
    with wide.page.expect_download() as waiting:
        wide.page.locator(".figure").first.get_by_role("button", name=f"as {form}").click()
    assert waiting.value.suggested_filename == f"cost-sites.{form.lower()}"
    content = Path(waiting.value.path()).read_bytes()
    assert content.startswith(begins)
    if form == "CSV":
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8"))))
        mine = [row for row in rows if row["series"] == "robust" and row["low"] and row["words"]]
        assert {row["number of sites, k"] for row in mine} == {"16", "256"}
        assert all(float(row["low"]) <= float(row["words"]) <= float(row["high"]) for row in mine)


def test_the_values_of_a_figure_can_be_read_as_a_table(wide: Opened) -> None:
    figure = wide.page.locator(".figure").nth(1)
    figure.locator("summary", has_text="Values").click()
    figure.locator("table").wait_for()
    assert "freeze" in figure.locator("tbody").inner_text()


def test_a_table_is_sorted_and_filtered(wide: Opened) -> None:
    table = wide.page.locator("#games table")
    head = table.locator("th", has_text="words").first
    column = head.evaluate("cell => cell.cellIndex")
    number = f"Number(row.cells[{column}].textContent.replaceAll(',', ''))"
    shown = f"rows => rows.filter(row => !row.hidden).map(row => {number})"
    head.get_by_role("button").press("Enter")
    numbers = table.locator("tbody tr").evaluate_all(shown)
    assert (head.get_attribute("aria-sort"), numbers) == ("ascending", sorted(numbers))
    head.get_by_role("button").click()
    assert table.locator("tbody tr").evaluate_all(shown) == sorted(numbers, reverse=True)
    wide.page.locator("#games input").fill("robust freeze")
    left = table.locator("tbody tr").evaluate_all("rows => rows.filter(row => !row.hidden).map(row => row.innerText)")
    assert 0 < len(left) < len(numbers)
    assert all("robust" in row and "freeze" in row for row in left)
    assert wide.page.locator("#games output").inner_text() == f"{len(left)} of {len(numbers)} rows"
    wide.page.locator("#games input").fill("")


@pytest.mark.parametrize(("width", "dark"), [(400, True), (1600, False)])
def test_it_is_accessible_in_light_and_dark_and_nothing_is_cut_off(
    browser: Any, written: Path, width: int, dark: bool
) -> None:
    opened = Opened(browser, written, width=width)
    opened.page.wait_for_selector("html[data-figures='drawn']", timeout=60_000)
    light = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    if dark:
        opened.page.get_by_role("button", name="Dark").click()
    assert (opened.page.evaluate("getComputedStyle(document.body).backgroundColor") != light) == dark
    assert opened.faults() == []
    assert opened.reach() <= 0
    assert (opened.asked, opened.complaints) == ([], [])
    opened.page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert [fault.split(":")[0] for fault in opened.faults()] == ["label"]  # the control: it finds what is wrong
    opened.close()


def test_at_the_width_of_a_phone_verdict_and_value_of_each_claim_are_there(browser: Any, written: Path) -> None:
    opened = Opened(browser, written, width=400)
    cells = opened.page.locator("#claims tbody tr").first.locator("td")
    right = [cells.nth(place).bounding_box()["x"] + cells.nth(place).bounding_box()["width"] for place in range(2)]
    assert [cells.nth(place).inner_text() for place in range(2)] == ["PASS", "0.98"]
    assert max(right) <= 400
    opened.close()


def test_figures_are_dark_on_a_dark_page_and_light_in_print(browser: Any, written: Path) -> None:
    opened = Opened(browser, written, dark=True)
    opened.page.wait_for_selector("html[data-figures='drawn']", timeout=60_000)
    filters = "[...document.querySelectorAll('.picture > svg, .swatch')].map(one => getComputedStyle(one).filter)"
    assert all(one.startswith("invert(") for one in opened.page.evaluate(filters))
    opened.page.emulate_media(media="print")
    assert set(opened.page.evaluate(filters)) == {"none"}
    opened.page.emulate_media(media="screen")
    opened.page.get_by_role("button", name="Dark").click()
    assert set(opened.page.evaluate(filters)) == {"none"}
    opened.close()


def test_in_print_the_pictures_stand_for_the_figures_and_no_column_is_cut(browser: Any, written: Path) -> None:
    opened = Opened(browser, written, width=1030, dark=True)  # A4 across, less its margins
    opened.page.wait_for_selector("html[data-figures='drawn']", timeout=60_000)
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.page.locator(".figure .picture > svg").first.is_visible()
    assert opened.page.locator(".controls").first.is_hidden()
    wide = "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth + 1).length"
    assert opened.page.evaluate(wide) == 0
    opened.page.set_viewport_size({"width": 688, "height": 900})  # A4 upright
    narrow = wide.replace("'.scroll'", "'.table:not(.wide) .scroll'")
    assert opened.page.evaluate(narrow) == 0
    pictures = "[...document.querySelectorAll('.picture > svg')]"
    assert opened.page.evaluate(f"{pictures}.every(one => one.getBoundingClientRect().right <= innerWidth)")
    opened.close()


def test_without_scripts_pictures_and_tables_are_there(browser: Any, written: Path) -> None:
    window = browser.new_context(java_script_enabled=False)
    page = window.new_page()
    page.goto(written.resolve().as_uri())
    assert page.locator(".figure .picture > svg").first.is_visible()
    assert page.locator("#games tbody tr").first.is_visible()
    window.close()


def test_a_brief_report_is_one_page_of_paper(browser: Any, written: Path, tmp_path: Path) -> None:
    """Also with as many rows as it shows, a claim of each tracker, and a figure of two rows of panels."""
    trackers = ("deterministic", "randomized", "robust", "martingale")
    full = write_result(
        tmp_path, protocols=trackers, adversaries=("freeze", "uniform", "zipf", "drain"), trials=2,
        plots=({"kind": "cost", "x": "sites", "ratio_to": "martingale", "where": "adversary in ['freeze', 'drain']"},),
    )  # fmt: skip
    claim = {"measure": "median(words)", "value": 3.0, "bound": "<= 5", "verdict": "PASS"}
    write_claims(full, *({"name": name, **claim} for name in trackers))
    draw(results := Results(full))
    for report in (write_report(written.parent, brief=True), write_report(results, brief=True)):
        opened = Opened(browser, report)
        opened.page.wait_for_selector("html[data-figures='drawn']", timeout=60_000)
        assert opened.page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
        opened.page.emulate_media(media="print")
        width = "document.querySelector('{}').getBoundingClientRect().width"
        assert opened.page.evaluate(width.format("figure")) > 0.98 * opened.page.evaluate(width.format("main"))
        opened.close()
