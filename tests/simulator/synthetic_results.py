"""Synthetic results, for the tests of figures and pages."""

from __future__ import annotations

import csv
import json
from itertools import product
from math import log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd

from disttrack.simulator.game.columns import CLAIMS, KINDS, SERIES, TRIALS

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
            at = np.unique(np.geomspace(1, n, 60).round().astype(int))
            wave = np.sin(np.linspace(0, 40, len(at))) * worst * np.minimum(1, at / (n / 50))
            used = (words * np.log(at + 1) / log(n + 1)).astype(int)
            series += [
                (point, trial, protocol, adversary, step, step, step * (1 + error), error, sent, sent)
                for step, error, sent in zip(at.tolist(), wave.tolist(), used.tolist(), strict=True)
            ]
            for kind, share in (("report", 0.75), ("broadcast", 0.2), ("poll", 0.05)):
                part = int(words * share)
                way = "up" if kind == "report" else "down"
                kinds.append((point, trial, protocol, adversary, kind, way, part, part, part * 21))
    directory.mkdir(parents=True, exist_ok=True)
    for name, columns, lines in (
        ("trials", list(rows[0]), [row.values() for row in rows]), ("series", SERIES, series), ("kinds", KINDS, kinds),
    ):  # fmt: skip
        with open(directory / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *lines])
    scenario = {
        "name": "made-up", "question": title, **({"plots": list(plots)} if plots else {}), "items": items[0],
        "protocol": [{"kind": kind, "alpha": list(alphas) if len(alphas) > 1 else alphas[0]} for kind in protocols],
    }  # fmt: skip
    (directory / "manifest.json").write_text(json.dumps({"scenario": scenario, "points": described}), encoding="utf-8")
    return directory


def write_claims(directory: Path, *claims: dict[str, object]) -> None:
    """Write the claims of a result; columns that a claim does not give are empty."""
    rows = [{"games": 40, **claim} for claim in claims]
    pd.DataFrame(rows, columns=list(CLAIMS)).to_csv(directory / "claims.csv", index=False)
