"""Figures say what they show: titles by axes, powers of one axis alone, ratios, and what differs between results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.simulator.experiments.claims.statistics import EACH, order_interval
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot, draw
from disttrack.simulator.shown.plots.description import Description, Series
from disttrack.simulator.shown.plots.marks import stated
from disttrack.simulator.shown.plots.requests import caption_of, described_of, plot_of

SITES = (16, 64, 256, 1024)


def described(folders: list[Path], request: dict[str, Any]) -> Description:
    made = described_of(read_tables(folders), check_plot(request))
    assert made is not None
    return made


def powers(figure: Description) -> int:
    return sum("propto" in one.label for panel in figure.panels for one in panel.of(Series, ""))


def test_no_power_is_stated_where_other_parameters_move_with_the_axis(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, adversaries=("freeze",), protocols=("deterministic",))
    assert powers(described([folder], {"kind": "cost", "x": "sites"})) > 0
    trials = pd.read_csv(folder / "trials.csv")
    trials.assign(items=1000 * trials["sites"]).to_csv(folder / "trials.csv", index=False)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for point in manifest["points"]:
        point["items"] = 1000 * point["sites"]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    moved = described([folder], {"kind": "cost", "x": "sites"})
    assert powers(moved) == 0
    assert "moving with sites: items=" in moved.subtitle


def test_results_that_differ_in_a_parameter_state_it_beside_their_lines(tmp_path: Path) -> None:
    folders = [
        write_result(
            tmp_path / name, trials=2, adversaries=("freeze",), protocols=("martingale",), extra=("delta", [value])
        )
        for name, value in (("before", 0.1), ("after", 0.2))
    ]
    figure = described(folders, {"kind": "cost", "x": "sites"})
    assert figure.title == "Words by number of sites, of before and after"
    labels = [one.label for one in figure.panels[0].of(Series, "")]
    assert [("delta=0.1" in label, "before" in label) for label in labels] == [(True, True), (False, False)]
    first, second = (one.look for one in figure.panels[0].of(Series, ""))
    assert first.marker != second.marker
    assert first.colour != second.colour


@pytest.mark.parametrize(
    "request_", [{"kind": "cost", "x": "sites"}, {"kind": "frontier"}], ids=lambda one: one["kind"]
)
def test_a_setting_looks_the_same_in_all_panels_and_for_all_protocols_and_no_other_does(
    tmp_path: Path, request_: dict[str, Any]
) -> None:
    """A panel, and a protocol, without the first setting do not give its look to the next one."""
    sweep: dict[str, Any] = {"extra": ("delta", [0.1, 0.2, 0.3]), "protocols": ("robust", "martingale")}
    folder = write_result(tmp_path / "one", trials=1, **sweep)
    trials = pd.read_csv(folder / "trials.csv")
    first = trials["delta"] == 0.1
    gone = first & ((trials["adversary"] == "freeze") | (trials["protocol"] == "martingale"))
    trials[~gone].to_csv(folder / "trials.csv", index=False)
    figure = described([folder], request_)
    plain = not figure.legend
    looks: dict[str, set[str]] = {}
    for panel in figure.panels:
        for one in panel.of(Series, ""):
            setting, look = re.sub(r".*\((.*)\)", r"\1", one.name), one.look
            kind = stated(one.name.partition("(")[0])
            looks.setdefault(setting, set()).add("" if kind and look.marker == kind.marker else look.marker)
            assert look.colour in {other.colour for other, name in figure.legend if name == one.name} or plain
    assert sorted(looks) == ["delta=0.1", "delta=0.2", "delta=0.3"]
    assert all(len(mine) == 1 for mine in looks.values())
    assert len(set().union(*looks.values())) == 3


def test_of_six_results_no_two_lines_look_alike(tmp_path: Path) -> None:
    folders = [
        write_result(tmp_path / f"r{number}", trials=1, adversaries=("freeze",), protocols=("robust",),
                     extra=("delta", [0.1, 0.2]))
        for number in range(6)
    ]  # fmt: skip
    for panel in described(folders, {"kind": "cost", "x": "sites"}).panels:
        lines = panel.of(Series, "")
        assert len({(one.look.colour, one.look.marker) for one in lines}) == len(lines) == 6


def test_ratios_stand_below_the_words_and_their_crossings_are_named(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=3, adversaries=("uniform", "freeze"))
    figure = described([folder], {"kind": "cost", "x": "sites", "ratio_to": "deterministic"})
    words, below = figure.panels[:2], figure.panels[2:]
    assert [panel.y.label for panel in figure.panels] == ["words"] * 2 + ["relative words"] * 2
    for above, ratios in zip(words, below, strict=True):
        lines = {one.name: one for one in above.of(Series, "")}
        unit = lines["deterministic"].y
        for one in ratios.of(Series, ""):
            assert np.asarray(one.y) == pytest.approx(lines[one.name].y / unit)
            crossed = [mark for mark in ratios.of(Series, "crossing") if mark.name == one.name]
            signs = np.sign(np.log(one.y))
            assert len(crossed) == int((signs[:-1] * signs[1:] < 0).any())
            for mark in crossed:
                assert f"{one.name} at {mark.x[0]:,}" in figure.note
    assert any(panel.of(Series, "crossing") for panel in below)
    said = caption_of(check_plot({"kind": "cost", "x": "sites"}), figure)
    assert "; relative words, against uniform: deterministic (1)" in said
    with pytest.raises(ValueError, match="ratio_to must be one of deterministic, randomized"):
        described([folder], {"kind": "cost", "x": "sites", "ratio_to": "exact"})


def test_intervals_of_ratios_are_those_of_compare(tmp_path: Path) -> None:
    """Those of the games over the unit's median alone, as they were drawn once, are narrower."""
    sides = {"protocols": ("randomized",), "adversaries": ("freeze",)}
    folders = [write_result(tmp_path / name, trials=15, **sides) for name in ("before", "after")]
    trials = pd.read_csv(folders[1] / "trials.csv")
    trials.assign(words=3 * trials["words"] + trials["trial"]).to_csv(folders[1] / "trials.csv", index=False)
    figure = described(folders, {"kind": "cost", "x": "sites", "ratio_to": "before", "band": "interval"})
    words = [pd.read_csv(folder / "trials.csv").groupby("sites")["words"] for folder in folders]
    (before, after) = ([order_interval(np.sort(one), 0.5, EACH) for _, one in groups] for groups in words)
    lines = {one.name: one for one in figure.panels[-1].of(Series, "")}
    (unit,) = (one for name, one in lines.items() if "before" in name)
    (ratio,) = (one for name, one in lines.items() if "after" in name)
    assert np.isnan(np.asarray(unit.low, dtype=float)).all()
    wanted = [(one[0] / other[1], one[1] / other[0]) for one, other in zip(after, before, strict=True)]
    assert np.c_[ratio.low, ratio.high] == pytest.approx(np.array(wanted))
    assert figure.marks == "medians and their ratios, bars: their 95 % intervals"


@pytest.mark.parametrize("trials", [1, 5, 6])
def test_too_few_games_for_intervals_are_said(trials: int, tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=trials, adversaries=("freeze",))
    marks = described([folder], {"kind": "cost", "x": "sites", "band": "interval"}).marks
    said = {1: "", 5: "medians, too few games for intervals", 6: "medians, bars: their 95 % intervals"}
    assert marks == said[trials]


@pytest.mark.parametrize(
    ("protocol", "sites", "items", "drawn", "beyond"),
    [
        ("martingale", (64, 256, 1024), 200_000, ["b = k/α", "b = √k/α"], []),
        ("deterministic", (64, 256, 1024), 2_000_000, ["b = k/α"], ["√k/α"]),
        ("robust", (64, 256, 1024), 200_000, [], ["k/α", "√k/α"]),
    ],
)
def test_a_lower_bound_beyond_the_panel_is_named_and_not_drawn(
    protocol: str, sites: tuple[int, ...], items: int, drawn: list[str], beyond: list[str], tmp_path: Path
) -> None:
    """Its label had a line to a place outside of the panel."""
    sides = {"protocols": (protocol,), "adversaries": ("freeze",)}
    folder = write_result(tmp_path / "one", trials=3, sites=sites, items=(items,), **sides)
    figure = described([folder], {"kind": "cost", "x": "sites", "lower_bounds": True})
    (panel,) = figure.panels
    low, high = panel.y.ends
    lines = panel.of(Series, "lower bound")
    assert [one.label for one in lines] == drawn
    assert all((one.y >= low).all() and (one.y <= high).all() for one in lines)
    assert [f"lower bound, b = {name}" in figure.note for name in ("k/α", "√k/α")] == [
        name in beyond for name in ("k/α", "√k/α")
    ]
    assert ("Dots: lower bounds" in figure.note) == bool(drawn)


def test_a_ratio_is_to_the_words_of_the_same_settings(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, adversaries=("freeze",), alphas=(0.05, 0.1, 0.2))
    figure = described([folder], {"kind": "cost", "x": "sites", "ratio_to": "deterministic"})
    assert len(figure.panels) == 6
    for above, below in zip(figure.panels[:3], figure.panels[3:], strict=True):
        lines = {one.name: np.asarray(one.y) for one in above.of(Series, "")}
        ratios = {one.name: np.asarray(one.y) for one in below.of(Series, "")}
        assert len(ratios) == 4
        for name, values in ratios.items():
            assert values == pytest.approx(lines[name] / lines["deterministic"])
    assert "with the same alpha" in figure.note
    request = {"kind": "cost", "x": "alpha", "ratio_to": "deterministic"}
    assert described([folder], request | {"where": "sites <= 256"}).panels[3].of(Series, "")
    with pytest.raises(ValueError, match="ratio_to has room for 3 panels, not 4; choose with where"):
        described([folder], request)


def test_ratios_of_games_that_ended_early_say_that_their_lengths_differ(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16, 64), trials=2)
    rows = pd.read_csv(folder / "trials.csv")
    rows.assign(unsent=(rows["adversary"] == "freeze").astype(int)).to_csv(folder / "trials.csv", index=False)
    note = described([folder], {"kind": "cost", "x": "sites", "ratio_to": "deterministic"}).note
    assert "both sides of a ratio may differ in length" in note


def test_a_ratio_to_a_tracker_with_settings_of_its_own_is_refused(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, adversaries=("freeze",), extra=("delta", [0.1, 0.2]))
    trials = pd.read_csv(folder / "trials.csv")
    trials.loc[trials["protocol"] == "deterministic", "delta"] = None
    trials.to_csv(folder / "trials.csv", index=False)
    assert described([folder], {"kind": "cost", "x": "sites", "ratio_to": "deterministic"}).panels
    with pytest.raises(ValueError, match=r"ratio_to: martingale has several values of delta; choose with where"):
        described([folder], {"kind": "cost", "x": "sites", "ratio_to": "martingale"})


@pytest.mark.parametrize("deltas", [((0.1,), (0.2,)), ((0.1, 0.2), (0.1, 0.2))], ids=["one each", "two each"])
@pytest.mark.parametrize(("side", "owner"), [("protocol", "martingale"), ("adversary", "freeze")])
def test_a_result_has_ratios_to_one_in_which_only_some_have_a_setting(
    tmp_path: Path, deltas: tuple[tuple[float, ...], ...], side: str, owner: str
) -> None:
    """Games without the setting are compared with those without it."""
    folders, sides = [], {"protocols": ("deterministic", "martingale"), "adversaries": ("freeze", "round-robin")}
    for factor, mine in zip((1, 3), deltas, strict=True):
        folder = write_result(tmp_path / f"r{factor}", trials=2, **sides, extra=("delta", list(mine)))
        trials = pd.read_csv(folder / "trials.csv")
        trials.loc[trials[side] != owner, "delta"] = None
        trials.assign(words=factor * trials["words"]).to_csv(folder / "trials.csv", index=False)
        folders.append(folder)
    found = set()
    for adversary in sides["adversaries"]:
        request = {"kind": "cost", "x": "sites", "ratio_to": "r1", "where": f"adversary == '{adversary}'"}
        figure = described(folders, request)
        below = figure.panels[len(figure.panels) // 2 :]
        after = [one for panel in below for one in panel.of(Series, "") if "r3" in f"{one.name}{panel.title}"]
        found |= {(one.name.partition("(")[0], adversary) for one in after}
        for one in after:
            assert np.asarray(one.y) == pytest.approx([3.0] * len(SITES))
    assert len(found) == 4


@pytest.mark.parametrize("key", ["over", "where"])
def test_a_condition_is_one(key: str, tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, adversaries=("freeze",))
    with pytest.raises(ValueError, match=r"'alpha' is not a condition, such as sites >= 64"):
        described([folder], {"kind": "cost", "x": "sites", key: "alpha"})
    with pytest.raises(ValueError, match=f"plot 'cost': {key}: "):
        described([folder], {"kind": "cost", "x": "sites", key: "sites = 16"})
    figure = described([folder], {"kind": "cost", "x": "sites", "over": "protocol=='martingale'"})
    assert "the words where protocol is martingale" in figure.note


def test_ratios_of_one_result_to_another_are_those_of_each_tracker(tmp_path: Path) -> None:
    folders = [write_result(tmp_path / name, trials=2, adversaries=("freeze",)) for name in ("before", "after")]
    trials = pd.read_csv(folders[1] / "trials.csv")
    trials.assign(words=3 * trials["words"]).to_csv(folders[1] / "trials.csv", index=False)
    figure = described(folders, {"kind": "cost", "x": "sites", "ratio_to": "before"})
    below = figure.panels[len(figure.panels) // 2 :]
    after = [one for panel in below for one in panel.of(Series, "") if "after" in one.name]
    assert len(after) == 4
    for one in after:
        assert np.asarray(one.y) == pytest.approx([3.0] * len(SITES))


def test_a_caption_for_print_has_what_a_screen_shows_around_the_panels(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16, 64), trials=2, adversaries=("freeze",), title="Who pays?")
    written = draw(folder, [{"kind": "cost", "x": "sites"}], style="paper")
    texts = {path.name: path.read_text(encoding="utf-8") for path in written if path.suffix == ".txt"}
    assert list(texts) == ["cost-sites-single.txt", "cost-sites-double.txt"]
    figure = described([folder], {"kind": "cost", "x": "sites"})
    for text in texts.values():
        assert text.startswith("Words by number of sites. Who pays? adversary=freeze")
        assert figure.note in text


def test_lone_marks_have_their_names_below_the_panels_and_marks_of_theory(tmp_path: Path) -> None:
    """A label beside one would lie across the panel, and a theory line through one place is not seen."""
    folders = [
        write_result(tmp_path / name, trials=2, adversaries=("freeze",), protocols=("martingale",), sites=(sites,))
        for name, sites in (("small", 16), ("large", 64))
    ]
    figure = described(folders, {"kind": "cost", "x": "sites"})
    series = figure.panels[0].of(Series)
    assert not any(one.label for one in series)
    assert len(figure.legend) == 2
    assert [bool(one.look.marker) for one in series if one.role == "bound"] == [True, True]


def test_no_bound_is_drawn_of_items_with_weights(tmp_path: Path) -> None:
    for heaviest, drawn in ((1, 1), (50, 0)):
        folder = write_result(
            tmp_path / str(heaviest), adversaries=("zipf-items",), protocols=("deterministic",),
            extra=("heaviest", [heaviest]), side="adversary",
        )  # fmt: skip
        series = described([folder], {"kind": "cost", "x": "sites"}).panels[0].of(Series)
        assert len([one for one in series if one.role == "bound"]) == drawn


def test_a_tracker_without_an_estimate_has_none_in_its_timeline(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=1, sites=(16,), adversaries=("freeze",), protocols=("robust",))
    assert described([folder], {"kind": "timeline"}).legend[0][1] == "the server's estimate"
    pd.read_csv(folder / "series.csv").assign(output=np.nan).to_csv(folder / "series.csv", index=False)
    without = described([folder], {"kind": "timeline"})
    assert [text for _, text in without.legend] == ["error of the estimate", "no error", "within ± α"]
    assert len(without.panels) == 2


def test_an_axis_whose_games_ended_in_an_error_is_not_said_to_be_no_axis(tmp_path: Path) -> None:
    sizes = {"sites": (16,), "trials": 2, "protocols": ("robust",), "extra": ("patience", [1, 2]), "side": "adversary"}
    folder = write_result(tmp_path / "r", **sizes)
    rows = pd.read_csv(folder / "trials.csv")
    freeze = rows["adversary"] == "freeze"
    for lost, said in (
        (rows["patience"] == 2, "4 of the 8 games with patience ended in an error: one value is left"),
        (freeze, "all 4 games with patience ended in an error"),
    ):
        changed = rows.assign(verdict=rows["verdict"].mask(lost, "error"))
        if lost is freeze:
            changed.loc[~freeze, "patience"] = None
        changed.to_csv(folder / "trials.csv", index=False)
        with pytest.raises(ValueError, match=f"^plot 'error': {said}$"):
            plot_of({"kind": "error", "x": "patience"}, read_tables([folder]))
    rows.to_csv(folder / "trials.csv", index=False)  # the control
    plot_of({"kind": "error", "x": "patience"}, read_tables([folder]))


def test_the_foot_of_ratios_has_single_spaces(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=3, adversaries=("freeze",))
    note = described([folder], {"kind": "cost", "x": "sites", "ratio_to": "deterministic"}).note
    assert "1: the words of deterministic." in note
    assert "  " not in note


def test_the_foot_says_over_what_the_unit_of_relative_words_is_a_median(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "two", trials=2, adversaries=("freeze", "round-robin"))
    for over, said in (
        ("sites >= 64", "1: the words where sites >= 64, a median over all protocols and adversaries."),
        ("protocol == 'deterministic'", "1: the words where protocol is deterministic, a median over all adversaries."),
        ("protocol == 'deterministic' and adversary == 'freeze'", "is deterministic and adversary is freeze."),
    ):
        assert said in described([folder], {"kind": "cost", "x": "sites", "over": over}).note


def test_rows_name_games_that_are_left_out(tmp_path: Path) -> None:
    folder = write_result(
        tmp_path / "one", sites=(16,), trials=3, adversaries=("freeze",), protocols=("robust", "block")
    )
    trials = pd.read_csv(folder / "trials.csv")
    for first, wanted in ((100.0, ""), (np.nan, "Left out: 1 of 6 games, without a value.")):
        trials.assign(messages=[first, *range(100, 99 + len(trials))]).to_csv(folder / "trials.csv", index=False)
        made = described([folder], {"kind": "spread", "y": "messages"})
        assert made.note == wanted
        assert made.subtitle.endswith(" · marks: medians, thick: 5 % to 95 %, thin: all games")


def test_a_matrix_says_what_dark_and_empty_cells_are(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16,), trials=2, protocols=("robust", "block"))
    trials = pd.read_csv(folder / "trials.csv").assign(verdict="ok", ok=True)
    trials.to_csv(folder / "trials.csv", index=False)
    assert "darker" not in described([folder], {"kind": "matrix"}).note
    trials.loc[0, ["verdict", "ok"]] = ["failed", False]
    one = (trials["protocol"] == "block") & (trials["adversary"] == trials["adversary"].iloc[0])
    trials[~one].to_csv(folder / "trials.csv", index=False)
    assert "Darker: more failed. Empty: no games." in described([folder], {"kind": "matrix"}).note


def test_a_frontier_says_along_what_its_marks_are_joined(tmp_path: Path) -> None:
    sizes: dict[str, Any] = {"trials": 2, "adversaries": ("freeze",), "protocols": ("robust",)}
    for request, more, joined in (
        ({"kind": "frontier"}, {"sites": (16, 64)}, ", joined by sites"),
        ({"kind": "frontier", "y": "messages"}, {"sites": (16, 64), "alphas": (0.1, 0.2)}, ", joined by point"),
        ({"kind": "frontier"}, {"sites": (16,)}, ""),
    ):
        folder = write_result(tmp_path / str(len(joined)), **sizes, **more)
        assert described([folder], request).subtitle.endswith(f" · dots: games, marks: medians{joined}")


def test_who_is_left_out_of_a_matrix_or_a_frontier_is_named(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16, 64), trials=2, protocols=("robust", "block", "exact"))
    trials = pd.read_csv(folder / "trials.csv")
    for request in ({"kind": "matrix"}, {"kind": "frontier"}):
        assert "Left out" not in described([folder], request).note
    silent = trials["protocol"] == "exact"
    trials.loc[silent, "alpha"] = 0
    trials.loc[silent | (trials["protocol"] == "block"), ["verdict", "ok"]] = ["undecided", False]
    trials.to_csv(folder / "trials.csv", index=False)
    assert described([folder], {"kind": "frontier"}).note.endswith("Left out, without α: exact.")
    assert " Left out, nothing promised or judged: block; exact." in described([folder], {"kind": "matrix"}).note


def test_a_frontier_says_which_marks_are_0(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, adversaries=("freeze",), protocols=("robust",))
    trials = pd.read_csv(folder / "trials.csv")
    for column, wanted in (("messages", "↓: 0."), ("words", "The leftmost marks: 0.")):
        trials.assign(**{column: [0.0, *trials[column][1:]]}).to_csv(folder / "trials.csv", index=False)
        figure = described([folder], {"kind": "frontier", "y": "messages"})
        assert figure.note.endswith(wanted)
        assert "Messages against words, at the median" in figure.caption
