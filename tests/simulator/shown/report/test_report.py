"""The report: one page that needs nothing else, states the outcome, and lets no text act as markup."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from synthetic_results import write_claims, write_result

from disttrack.simulator.experiments.results import stored
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.shown.plots import draw
from disttrack.simulator.shown.report.report import origin, write_report

EVIL = "<script>alert('x')</script> & \"quotes\""
SMALL: dict[str, Any] = {"sites": (16,), "trials": 1, "protocols": ("robust", "randomized"), "adversaries": ("freeze",)}
"""A result of which no more is looked at than that something is drawn."""
VOID = {"meta", "img", "br", "link", "input", "hr"}


class Outline(HTMLParser):
    """Collects tags with their attributes, text by tag, and tags that do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.text: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.text.append((self.open[-1], data.strip()))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_result(
        tmp_path_factory.mktemp("report") / "result",
        sites=(16, 64),
        trials=2,
        title=EVIL,
        plots=["matrix", "breakdown"],
    )
    held = {"where": "protocol == 'robust'", "group": "sites == 16", "value": 0.9871, "low": 0.9, "high": 1.0}
    held |= {"control": 0.41, "broken": "no noise", "false_alarm": 2e-7, "power": 0.85, "played": 99}
    words = {"measure": "median(words)", "bound": "<= 5"}
    write_claims(
        folder,
        {"name": "it holds", "measure": "fraction(ok)", "bound": ">= 0.95", "verdict": "PASS", **held},
        {"name": "a <b>bold</b> one", "value": 123456.0, "verdict": "FAIL", **words},
        {"name": "open", "value": 1.0, "verdict": "UNDECIDED", **words},
    )
    results = Results(folder)
    draw(results)
    return write_report(results)


@pytest.fixture(scope="module")
def outline(written: Path) -> Outline:
    parsed = Outline()
    parsed.feed(written.read_text(encoding="utf-8"))
    parsed.close()
    return parsed


@pytest.mark.slow
def test_the_page_is_well_formed(outline: Outline) -> None:
    assert not outline.crossed
    assert not outline.open


def test_it_needs_nothing_from_outside(written: Path, outline: Outline) -> None:
    assert not [tag for tag, _ in outline.tags if tag in ("link", "iframe", "object")]
    assert not [tag for tag, attributes in outline.tags if tag == "script" and "src" in attributes]
    assert sum("data-figure" in attributes for _, attributes in outline.tags) == 2
    pictures = [attributes for _, attributes in outline.tags if attributes.get("class") == "picture"]
    assert [attributes["role"] for attributes in pictures] == ["img", "img"]
    assert all(attributes["aria-label"] for attributes in pictures)
    ids = [attributes["id"] for _, attributes in outline.tags if attributes.get("id")]
    assert len(ids) == len(set(ids)), "those of one figure are not those of another"
    assert written.stat().st_size < 1_000_000
    assert not re.search(r"(?:href|src|url\()\s*=?\s*['\"]?https?:", written.read_text(encoding="utf-8"))


def test_text_stays_text(outline: Outline) -> None:
    assert ("h1", EVIL) in outline.text
    assert ("td", "a <b>bold</b> one") in outline.text


def test_the_same_result_gives_the_same_page(written: Path) -> None:
    before = written.read_bytes()
    results = Results(written.parent)
    draw(results)
    assert write_report(results).read_bytes() == before


def test_a_figure_that_cannot_be_drawn_is_named_and_the_others_are_shown(tmp_path: Path) -> None:
    plots = [{"kind": "matrix", "where": "sites == 3"}, "breakdown"]
    folder = write_result(tmp_path / "r", **SMALL, plots=plots)
    with pytest.raises(ValueError, match="matrix: where: no game meets") as caught:
        draw(folder)
    text = write_report(folder, str(caught.value)).read_text("utf-8")
    assert "Figure not drawn: matrix: where: no game meets" in text
    assert text.count("class='picture'") == 1


def test_the_report_draws_nothing_and_says_what_is_missing(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", **SMALL, plots=["matrix", "breakdown"])
    text = write_report(folder).read_text("utf-8")
    assert "Not drawn: matrix, breakdown" in text
    assert not (folder / "figures").exists()


@pytest.mark.slow
def test_a_figure_older_than_the_tables_is_drawn_again_and_not_shown_before(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", **SMALL, plots=["matrix", "breakdown"])
    draw(folder)
    old = (folder / "trials.csv").stat().st_mtime_ns - 1
    for form in ("png", "svg"):
        os.utime(folder / "figures" / f"matrix.{form}", ns=(old, old))
    assert "Not drawn: matrix<" in write_report(folder).read_text("utf-8")
    assert [path.stem for path in draw(folder)] == ["matrix", "matrix", "breakdown", "breakdown"]
    assert "Not drawn" not in write_report(folder).read_text("utf-8")


def test_tables_that_are_needed_are_read_once_for_figures_and_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_result(tmp_path / "r", **SMALL, plots=["matrix", "breakdown"])
    read: list[str] = []
    original = stored.read_table

    def counted(path: Path, *more: Any) -> Any:
        read.append(path.name)
        return original(path, *more)

    monkeypatch.setattr("disttrack.simulator.experiments.results.folder.read_table", counted)
    results = Results(folder)
    draw(results)
    write_report(results)
    assert sorted(read) == ["claims.csv", "controls.csv", "kinds.csv", "trials.csv"], "no figure shows a timeline"


def test_a_manifest_may_say_little(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", **SMALL, plots=["matrix"])
    (folder / "manifest.json").write_text(json.dumps({"scenario": {"plots": ["matrix"]}}), encoding="utf-8")
    (folder / "kinds.csv").unlink()
    assert "<h1>r</h1>" in write_report(folder).read_text("utf-8")


@pytest.mark.parametrize("kept", [0, 7])
def test_the_time_of_a_run_that_went_on_is_said_to_be_that_of_the_last_call(kept: int) -> None:
    page = str(origin({}, {"seconds": 3.5, "games": {"all": 9, "kept": kept}}, ""))
    assert ("last call took" in page) == bool(kept)
    assert "3.5 s" in page


def test_errors_are_listed_with_their_tracebacks_as_text(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=2, plots=["matrix"])
    trials = pd.read_csv(folder / "trials.csv")
    trials.loc[trials["protocol"] == "robust", ["verdict", "ok"]] = ["error", False]
    trials.to_csv(folder / "trials.csv", index=False)
    (folder / "errors.txt").write_text(f"Traceback: {EVIL}\n" + "x" * 50_000, encoding="utf-8")
    text = write_report(folder).read_text("utf-8")
    assert "4 games ended in an error" in text
    assert text.count("<tr class='lost'>") == 2
    assert EVIL not in text
    assert "Traceback: &lt;script&gt;" in text
    assert "all in errors.txt" in text


def test_the_page_of_a_users_own_names_has_none_of_them_as_markup(tmp_path: Path) -> None:
    sides = {"protocols": (EVIL, "robust")}
    folder = write_result(tmp_path / "r", **SMALL | sides, title=EVIL, plots=["matrix", "breakdown"])
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    more = {"comment": f"{EVIL}?\n\n{EVIL}.", "name": EVIL, "workers": EVIL, "versions": {"numpy": EVIL}}
    (folder / "manifest.json").write_text(json.dumps(manifest | more), encoding="utf-8")
    draw(folder)
    text = write_report(folder).read_text("utf-8")
    assert EVIL not in text
    parsed = Outline()
    parsed.feed(text)
    assert not parsed.crossed
    assert sum(tag == "script" and "type" not in dict(attributes) for tag, attributes in parsed.tags) <= 3


def test_a_brief_report_has_the_question_games_claims_and_one_figure(tmp_path: Path) -> None:
    plots = [{"kind": "cost", "x": "sites"}, {"kind": "error", "x": "sites"}]
    folder = write_result(tmp_path / "r", sites=(16, 64), trials=2, plots=plots)
    write_claims(folder, {"name": "it holds", "measure": "fraction(ok)", "value": 1, "verdict": "PASS"})
    draw(folder)
    whole, brief = (write_report(folder, brief=brief).read_text(encoding="utf-8") for brief in (False, True))
    assert (folder / "brief.html").is_file()
    for page, figures in ((whole, 2), (brief, 1)):
        assert page.count("<figure ") == figures
        assert "Randomness survives" in page
        assert "id='games'" in page
        assert "id='claims'" in page
    assert "Protocols and adversaries" in brief
    assert "The games by point" not in brief
    assert "<code>fraction(ok)</code>" in brief
    assert "<summary>Columns" not in brief  # what is folded away is not printed
    assert "<dt>games failed</dt>" in brief
    assert len(brief) < len(whole)
