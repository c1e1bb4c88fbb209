"""What notebooks show: all of it escaped, nothing fetched, no script, and of bounded length."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest
from parsed_pages import Parsed
from synthetic_results import write_result

import disttrack
from disttrack.simulator.experiments.runs.progress import Progress, in_notebook, notebook_bar

HOSTILE = "<script>alert('x')</script>&<b>"


def words_of(text: str) -> list[str]:
    """Return the texts of what a notebook shows, which runs nothing and fetches nothing."""
    shown = Parsed(text)
    assert shown.wrong == shown.crossed == shown.open == []
    assert not {"script", "img"} & {tag for tag, _ in shown.tags}
    return [word for _, word in shown.text]


def test_many_rows_are_cut_and_counted(tmp_path: Path) -> None:
    write_result(tmp_path, sites=(4, 8, 16, 32, 64, 128, 256), title=HOSTILE)
    text = disttrack.Results(tmp_path)._repr_html_()
    assert text.count("<tr") == 1 + 30
    assert {"30 of 56 points; all: trials.csv", HOSTILE} <= {*words_of(text)}


def test_a_hostile_scenario_is_text() -> None:
    data = {"question": HOSTILE, "sites": 2, "items": 10, "protocol": "exact", "adversary": "round-robin"}
    assert HOSTILE in words_of(disttrack.load(data)._repr_html_())


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
