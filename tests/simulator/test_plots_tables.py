"""Synthetic results for the tests of figures, and the tests of how figures read them."""

from __future__ import annotations

import json
from itertools import product
from math import log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from simulator.columns import TRIALS
from simulator.plots.tables import fixed, lines, read_tables, swept_axes

SHAPES = {
    "exact": lambda k, n, a: n,
    "deterministic": lambda k, n, a: k * (1 / a + log(max(2.0, a * n / k)) / a),
    "randomized": lambda k, n, a: (9 * sqrt(k) / a + 2.5 * k) * log(n),
    "robust": lambda k, n, a: (40 * sqrt(k) / a + 6 * k) * log(n),
    "martingale": lambda k, n, a: (14 * sqrt(k) / a + k) * log(n),
}
BROKEN = {"randomized": 0.9}


def write_result(
    directory: Path, *, sites=(16, 64, 256, 1024), items=(2_000_000,), alphas=(0.03,), extra=None, side="protocol",
    protocols=("deterministic", "randomized", "robust", "martingale"), adversaries=("round-robin", "freeze"),
    trials=5, plots=({"kind": "cost", "x": "sites"},), title="Randomness survives an adaptive adversary, if hidden",
):  # fmt: skip
    """Write tables with the shapes that theory gives, and small noise."""
    rng = np.random.default_rng(5)
    rows, series, kinds, described = [], [], [], []
    points = product(protocols, adversaries, sites, items, alphas, extra[1] if extra else [None])
    for point, (protocol, adversary, k, n, alpha, swept) in enumerate(points):
        described.append({
            "point": point, "protocol": {"kind": protocol, "alpha": alpha}, "adversary": {"kind": adversary},
            "sites": k, "items": n, "start": 0,
        })  # fmt: skip
        if extra:
            described[-1][side][extra[0]] = swept
        for trial in range(trials):
            words = int(SHAPES.get(protocol, SHAPES["randomized"])(k, n, alpha) * rng.uniform(0.9, 1.1))
            worst = alpha * rng.uniform(0.3, 0.6)
            if adversary == "freeze" and protocol in BROKEN:
                worst = alpha * sqrt(k) / (3 + sqrt(k) * alpha) * rng.uniform(0.95, 1.05)
            ok = worst <= alpha
            row = dict.fromkeys(TRIALS)
            row |= {
                "point": point,
                "trial": trial,
                "seed": trial,
                "task": "count",
                "protocol": protocol,
                "adversary": adversary,
                "sites": k,
                "items": n,
                "alpha": alpha,
                "engine": "leap",
                "verdict": "ok" if ok else "failed",
                "ok": ok,
                "max_rel_error": worst,
                "first_failure": None if ok else 1000,
                "failing_fraction": 0.0 if ok else 0.6,
                "output_changes": words // 2,
                "rounds": 3,
                "messages": words,
                "words": words,
                "words_up": words - words // 4,
                "words_down": words // 4,
                "bits": words * 21,
                "broadcasts": 10,
                "seconds": 0.1,
            }
            if extra:
                row[extra[0]] = swept
            rows.append(row)
            at = np.unique(np.geomspace(1, n, 200).round().astype(int))
            wave = np.sin(np.linspace(0, 40, len(at))) * worst * np.minimum(1, at / (n / 50))
            for step, error in zip(at, wave, strict=True):
                used = int(words * log(step + 1) / log(n + 1))
                series.append((point, trial, step, step, step * (1 + error), error, used, used))
            for kind, share in (("report", 0.75), ("broadcast", 0.2), ("poll", 0.05)):
                part = int(words * share)
                kinds.append((point, trial, kind, "up" if kind == "report" else "down", part, part, part * 21))
    directory.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(directory / "trials.csv", index=False)
    names = ["point", "trial", "step", "items", "output", "rel_error", "messages", "words"]
    pd.DataFrame(series, columns=names).to_csv(directory / "series.csv", index=False)
    names = ["point", "trial", "kind", "direction", "messages", "words", "bits"]
    pd.DataFrame(kinds, columns=names).to_csv(directory / "kinds.csv", index=False)
    scenario = {
        "name": "made-up", "title": title, "plots": list(plots), "items": items[0],
        "protocol": [{"kind": kind, "alpha": list(alphas) if len(alphas) > 1 else alphas[0]} for kind in protocols],
    }  # fmt: skip
    (directory / "manifest.json").write_text(json.dumps({"scenario": scenario, "points": described}), encoding="utf-8")
    return directory


def test_a_result_is_read_with_its_name_before_each_row(tmp_path: Path) -> None:
    tables = read_tables([write_result(tmp_path / "first"), write_result(tmp_path / "b" / "first", trials=1)])
    assert set(tables.trials["result"]) == {"first", "first (2)"}
    assert tables.several
    assert len(tables.trials) == 4 * 2 * 4 * (5 + 1)
    assert tables.trials["ok"].dtype == bool


def test_a_folder_without_a_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no result: trials\.csv is missing"):
        read_tables([tmp_path])


def test_where_takes_games_and_what_belongs_to_them(tmp_path: Path) -> None:
    tables = read_tables([write_result(tmp_path / "r")])
    chosen = tables.where("protocol == 'robust' and sites >= 256")
    assert len(chosen.trials) == 2 * 2 * 5
    points = set(chosen.trials["point"])
    assert set(chosen.series["point"]) == points
    assert set(chosen.kinds["point"]) == points
    with pytest.raises(ValueError, match="no game meets"):
        tables.where("sites > 10000")
    with pytest.raises(ValueError, match="where"):
        tables.where("length > 3")


def test_axes_are_what_the_points_differ_in(tmp_path: Path) -> None:
    plain = read_tables([write_result(tmp_path / "a")]).trials
    assert swept_axes(plain) == ("sites",)
    more = read_tables([write_result(tmp_path / "b", extra=("confidence", [2.0, 3.0]), sites=(64,))]).trials
    assert swept_axes(more) == ("confidence",)


def test_a_protocol_is_one_line_unless_something_else_varies_at_a_place(tmp_path: Path) -> None:
    trials = read_tables([write_result(tmp_path / "a")]).trials
    assert [line.label for line in lines(trials, "sites")] == [
        "deterministic", "randomized", "robust", "martingale",
    ]  # fmt: skip
    trials = read_tables([write_result(tmp_path / "b", extra=("confidence", [2.0, 3.0]))]).trials
    found = lines(trials[trials["protocol"] == "robust"], "sites")
    assert [line.label for line in found] == ["robust, confidence 2", "robust, confidence 3"]
    assert [line.order for line in found] == [0, 1]


def test_what_a_task_measures_is_no_axis(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "a", sites=(64,), trials=1)
    trials = pd.read_csv(folder / "trials.csv")
    trials.assign(max_abs_error=range(len(trials))).to_csv(folder / "trials.csv", index=False)
    tables = read_tables([folder])
    assert swept_axes(tables.trials) == ()
    assert len(tables.where("max_abs_error >= 4").trials) == len(trials) - 4


def test_lists_that_move_together_are_one_axis(tmp_path: Path) -> None:
    trials = read_tables([write_result(tmp_path / "a")]).trials
    trials["alpha"] = 1 / np.sqrt(trials["sites"])
    assert len(lines(trials, "sites")) == 4


def test_swept_parameters_of_an_adversary_are_a_part_of_its_name(tmp_path: Path) -> None:
    patience = ("patience", [0.5, 1.0])
    folder = write_result(tmp_path / "a", extra=patience, side="adversary", adversaries=("drain",), sites=(64,))
    named = read_tables([folder]).with_adversaries_named()
    assert set(named.trials["adversary"]) == {"drain, patience 0.5", "drain, patience 1"}
    assert swept_axes(named.trials) == ()
    along = read_tables([folder]).with_adversaries_named("patience")
    assert set(along.trials["adversary"]) == {"drain"}


def test_what_all_games_share_is_said_once(tmp_path: Path) -> None:
    tables = read_tables([write_result(tmp_path / "a", sites=(64,), adversaries=("freeze",), trials=1)])
    assert fixed(tables) == "64 sites · 2,000,000 items · α = 0.03 · adversary freeze · 1 game a point"
