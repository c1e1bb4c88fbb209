"""What notebooks show: all of it escaped, nothing fetched, no script, and true to the tables."""

from __future__ import annotations

import re
import sys
import types
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from synthetic_results import write_result

import disttrack
from disttrack.simulator.experiments.runs.progress import Progress, in_notebook, notebook_bar

HOSTILE = "<script>alert('x')</script>&<b>"


class Elements(HTMLParser):
    """Counts elements, and checks that each one that begins also ends."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def checked(text: str) -> Elements:
    elements = Elements(text)
    assert not {"script", "img", "link", "iframe", "object", "form"} & set(elements.seen)
    assert not re.search(r"(src|href)=", text)
    return elements


def test_a_game() -> None:
    game = disttrack.play(disttrack.Robust(alpha=0.2), disttrack.Freeze(), sites=4, items=3000, seed=5)
    words = " ".join(checked(game._repr_html_()).words)
    assert "robust against freeze" in words
    assert "4 sites, 3,000 items, seed 5" in words
    assert f"{game.words:,}" in words
    assert all(kind in words for kind in game.kinds["kind"])


def test_a_game_on_a_network_shows_its_lag_aware_error_and_its_losses() -> None:
    network = {"latency": 3, "loss": 0.2, "link": "reliable"}
    game = disttrack.play(disttrack.Exact(), lambda view: 0, sites=2, items=60, network=network)
    text = game._repr_html_()
    assert f"lag-aware error {game.max_lag_error:.3g}" in text
    assert f"lost {game.lost:,}, restarts" in text
    assert "lag-aware" not in disttrack.play(disttrack.Exact(), lambda view: 0, sites=2, items=60)._repr_html_()


def test_a_failed_game_says_so_in_words() -> None:
    game = disttrack.play(disttrack.Randomized(alpha=0.1), disttrack.Freeze(), sites=256, items=100_000, seed=1)
    assert not game.ok
    shown = checked(game._repr_html_()).words
    assert "failed" in shown
    assert f"at item {game.first_failure:,}" in shown


def test_results(tmp_path: Path) -> None:
    write_result(tmp_path, title=HOSTILE)
    results = disttrack.Results(tmp_path)
    shown = checked(results._repr_html_())
    assert HOSTILE in shown.words
    assert {"robust", "freeze", "1,024"} <= set(shown.words)
    rows = results.trials.groupby("point").ngroups
    assert shown.seen.count("tr") >= min(rows, 30)


def test_many_rows_are_cut_and_counted(tmp_path: Path) -> None:
    write_result(tmp_path, sites=(4, 8, 16, 32, 64, 128, 256))
    shown = checked(disttrack.Results(tmp_path)._repr_html_())
    assert shown.seen.count("tr") == 1 + 30
    assert "30 of 56 points; all: trials.csv" in shown.words


def test_a_scenario() -> None:
    scenario = disttrack.load("headline")
    words = " ".join(checked(scenario._repr_html_()).words)
    assert "32 points, 1,024 games" in words
    assert all(claim.name in words for claim in scenario.head.claims)
    assert "16; 64; 256; 1,024" in words
    assert "deterministic(α=0.03); randomized(α=0.03); robust(α=0.03, delta=0.05); " in words
    assert not [sign for sign in ("{kind", "{'kind", '{"kind') if sign in words]
    assert repr(scenario) == "<scenario headline: 32 points, 1,024 games>"


def test_a_hostile_scenario_is_text() -> None:
    data = {"question": HOSTILE, "sites": 2, "items": 10, "protocol": "exact", "adversary": "round-robin"}
    assert HOSTILE in checked(disttrack.load(data)._repr_html_()).words


def test_no_notebook_no_bar(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert not in_notebook()
    data = {"sites": 2, "items": 10, "protocol": "exact", "adversary": "round-robin"}
    disttrack.run(data, out=tmp_path / "r", workers=1)
    assert capfd.readouterr() == ("", "")


def test_the_bar_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []

    class Handle:
        def update(self, look: dict[str, str], raw: bool) -> None:
            assert raw
            shown.append(look)

    def display(look: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        shown.append(look)
        return Handle()

    kernel = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    assert in_notebook()
    bar = notebook_bar("<i>")
    bar(Progress(games=4, kept=1, played=1))
    bar(Progress(games=4, kept=1, played=3, finished=True))
    assert ["value='0.5000'" in one.get("text/html", "") for one in shown] == [False, True, False]
    assert "value='1.0000'" in shown[2]["text/html"]
    assert "4 of 4 games" in shown[2]["text/plain"]
    assert "&lt;i&gt;" in shown[2]["text/html"]


@pytest.mark.parametrize(
    ("left", "words"), [(0.0, ""), (0.004, ""), (0.5, ", about 0.50 s left"), (90, ", about 1 min")]
)
def test_no_time_is_said_to_be_left_where_the_estimate_is_used_up(left: float, words: str) -> None:
    assert Progress(games=4, left=left).words(1.0).startswith(f"0 of 4 games{words}")
    assert ("left" in Progress(games=4, left=left).words(1.0)) == bool(words)
