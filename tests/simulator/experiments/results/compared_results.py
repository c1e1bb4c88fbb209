"""Results that are compared: written, edited, and put side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from synthetic_results import write_result

from disttrack.simulator.experiments.results.compared import Compared, compare_results
from disttrack.simulator.experiments.results.folder import Results

NAMES = ("one", "two", "three")


def compared(*results: Results) -> Compared:
    return compare_results(results, NAMES[: len(results)])


def written(folder: Path, **more: Any) -> Results:
    usual = {"sites": (16, 64), "protocols": ("deterministic",), "adversaries": ("freeze",), "trials": 2, "plots": ()}
    return Results(write_result(folder, **{**usual, **more}))


def edited(one: Results, change: Callable[[dict[str, Any]], Any]) -> Results:
    """Return a result with another manifest."""
    manifest = json.loads((one.dir / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    (one.dir / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return Results(one.dir)


def set_all(one: Results, side: str, **more: Any) -> Results:
    """Return a result each of whose points has further parameters."""

    def change(manifest: dict[str, Any]) -> None:
        for point in manifest["points"]:
            point[side] = {**(point.get(side) or {}), **more}

    return edited(one, change)


def of_task(one: Results, task: str) -> Results:
    trials = pd.read_csv(one.dir / "trials.csv")
    trials.assign(task=task).to_csv(one.dir / "trials.csv", index=False)
    return edited(one, lambda manifest: manifest["scenario"].update(task=task))
