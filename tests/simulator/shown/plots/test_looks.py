"""Scale, size, font and band: the same keys in files, in Python and on the command line; none is ignored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from commands import disttrack
from drawn import described
from matplotlib.figure import Figure
from PIL import Image
from synthetic_results import write_result

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.registry import make
from disttrack.simulator.shown.plots import compare, draw
from disttrack.simulator.shown.plots.base import Plot
from disttrack.simulator.shown.plots.description import Area

COST: dict[str, Any] = {"kind": "cost", "x": "sites"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_result(tmp_path / "one", trials=12, adversaries=("freeze",), plots=[COST])


def inches(path: Path, dots: int) -> tuple[float, ...]:
    with Image.open(path) as picture:
        return tuple(round(side / dots, 2) for side in picture.size)


def test_a_size_is_that_of_the_whole_figure_wherever_it_is_asked_for(folder: Path, tmp_path: Path) -> None:
    size = "3.3x2.4"
    (screen,) = (path for path in draw(folder, [COST | {"size": "8x6"}]) if path.suffix == ".png")
    paper = [path for path in draw(folder, style="paper", size=size) if path.suffix == ".png"]
    assert [path.name for path in paper] == ["cost-sites-3.3x2.4.png"]
    one = COST | {"where": "protocol == 'robust'"}  # two results of all four leave no room
    beside = compare([folder, folder], one, tmp_path / "out", style="paper", size=size).path.with_suffix(".png")
    assert inches(screen, 200) == (8, 6)
    assert inches(paper[0], 300) == inches(beside, 300) == (3.3, 2.4)
    assert paper[0].with_suffix(".pdf").read_bytes().startswith(b"%PDF")


def test_commands_take_the_keys(folder: Path, tmp_path: Path) -> None:
    keys = ["--scale", "y=linear", "--size", "7x4", "--font", "DejaVu Serif", "--style", "paper"]
    both = ["compare", str(folder), str(folder), "--plot", "cost:x=sites", "--out", "out"]
    for call in (["plot", str(folder)], both):
        with CliRunner().isolated_filesystem(tmp_path):
            done = disttrack(*call, *keys)
            assert done.exit_code == 0, done.output
            assert "7x4." in done.output
    (text,) = folder.glob("figures/paper/cost-sites-*.svg")
    assert "DejaVu Serif" in text.read_text(encoding="utf-8")
    done = disttrack("plot", str(folder), "--font", "Nonesuch")
    assert (done.exit_code, "font: 'Nonesuch' is not installed" in done.output) == (2, True)


def test_a_figure_too_small_for_its_texts_is_drawn_as_its_message_says(folder: Path) -> None:
    small = COST | {"size": "3.3x2.4", "band": "interval"}
    with pytest.raises(ValueError, match=r"take --style paper$"):
        draw(folder, [small])
    assert draw(folder, [small], style="paper")
    with pytest.raises(ValueError, match=r"no room for a panel; show fewer .*, or choose a larger size$"):
        draw(folder, [COST | {"size": "1x1"}], style="paper")
    assert draw(folder, [small | {"size": "6.6x4.8"}])


@pytest.mark.parametrize("plot", [{"kind": "matrix"}, {"kind": "breakdown"}, {"kind": "spread", "y": "words"}])
def test_rows_too_near_for_their_texts_are_refused_with_the_height_that_they_need(
    plot: dict[str, str], folder: Path
) -> None:
    with pytest.raises(ValueError, match=r"size: 5x1\.\d: rows overlap") as caught:
        draw(folder, [plot | {"size": "5x1.4"}], style="paper")
    needed = float(str(caught.value).partition("a height of ")[2].split(",")[0])
    assert draw(folder, [plot | {"size": f"5x{needed + 0.1:.1f}"}], style="paper")


@pytest.mark.parametrize("trials", [2, 6, 7])
def test_bands_and_bars_are_named_if_and_only_if_one_is_drawn(tmp_path: Path, trials: int) -> None:
    folder = write_result(
        tmp_path / "r", sites=(16, 64), trials=trials, protocols=("deterministic", "robust"), adversaries=("freeze",)
    )
    one = "protocol == 'deterministic'"
    shown = (("words", one), ("words", ""), ("seconds", ""), ("ok", ""))
    for band, (y, where) in product(("", "interval", "games", "none"), shown):
        if y == "ok" and band == "games":
            continue
        made = described(folder, {"kind": "measure", "x": "sites", "y": y, "where": where, "band": band})
        roles = {one.role for panel in made.panels for one in panel.of(Area)}
        assert ("bars:" in made.marks, "bands:" in made.marks) == ("interval" in roles, "range" in roles)
        if trials == 2 and y == "words" and band == "interval":
            assert made.marks == "medians, too few games for intervals"


def test_a_class_with_keys_of_these_names_keeps_them(folder: Path) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Own(Plot):
        size: int = 3  # type: ignore[assignment]

        def draw(self, tables: object) -> Figure:
            return Figure()

    own = Own()
    assert own.inches is None
    with pytest.raises(ScenarioError, match=r"^size: must be a whole number; got \[3\]"):
        make("plot", Own, {"size": [3]})
    with pytest.raises(ValueError, match="size: a key of Own too; leave size out"):
        draw(folder, [own], size="3x2")
