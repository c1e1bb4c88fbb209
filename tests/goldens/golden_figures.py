"""What figures of synthetic results describe: axes, texts, looks, and the values of each series, a line each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache, partial
from math import inf
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from golden_files import write_all
from synthetic_results import write_result

from disttrack.adversaries import Freeze
from disttrack.protocols import Randomized
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.game.play import play
from disttrack.simulator.kinds.registry import kinds
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.description import Fill, Look
from disttrack.simulator.shown.plots.requests import caption_of, described_of
from disttrack.simulator.shown.plots.traces import game_described

FOLDER: Final = Path(__file__).parent / "figures"
TICKS: Final = (0.0, 0.25, 3.0, 64.0, 1_234_567.0)
"""Places at which the texts of an axis are written down."""
MOST: Final = 5
"""Longer lists of values are given by their ends, their number and their sum."""
LEDGER: Final = {
    "name": "all", "epsilon": 2.0, "spent": 1.5, "rule": "sequence", "parts": [
        {"name": "tree", "epsilon": 1.5, "spent": 1.5, "rule": "parallel", "count": 1, "parts": [
            {"name": "epoch", "epsilon": 1.5, "spent": 0.5, "rule": "sequence", "count": 1200, "parts": [
                {"name": "level", "epsilon": 0.75, "spent": 0.25, "rule": "leaf", "count": 2, "parts": [
                    {"name": "too deep", "epsilon": 0.75, "spent": 0, "rule": "leaf", "parts": []}]},
                {"name": "half", "epsilon": 0.75, "spent": 0.25, "rule": "leaf", "count": 1, "parts": []}]}]},
        {"name": "a name of a part that is longer than its bar has room for", "epsilon": 0.4, "spent": 0.0,
         "rule": "leaf", "count": 3, "parts": []},
        {"name": "x", "epsilon": 0.1, "spent": 0.0, "rule": "leaf", "parts": []}],
}  # fmt: skip
PAIR: Final = ("robust", "randomized")
COST, SPREAD = {"kind": "cost", "x": "sites"}, {"kind": "spread", "y": "words"}
SIZES: Final = {"sites": (16, 64, 256, 1024), "trials": 7, "protocols": ("randomized", "robust", "martingale")}
RESULTS: Final[Mapping[str, dict[str, Any]]] = {
    "plain": SIZES,
    "edges": {**SIZES, "sites": (16, 256), "trials": 7},
    "late": {**SIZES, "adversaries": ("freeze",), "protocols": ("deterministic", "own")},
    "accuracy": {"sites": (64,), "alphas": (0.1, 0.03, 0.01, 0.003), "trials": 2, "protocols": PAIR},
    "sets": {"sites": (64,), "alphas": (0.1, 0.03, 0.01, 0.003), "trials": 2, "protocols": PAIR},
    "many": {"sites": (16, 64), "trials": 21, "adversaries": ("one", "two", "three"), "protocols": ("robust", "exact")},
    "growth": {"sites": (1000,), "items": (10**3, 10**6, 10**9), "trials": 1, "protocols": ("robust",)},
    "burn": {"sites": (16,), "extra": ("burn", [0, 1, 2, 4]), "side": "adversary", "trials": 2},
    "long": {"sites": tuple(range(10, 160, 10)), "trials": 1, "protocols": ("robust",), "adversaries": ("one",)},
    "medium": {"sites": tuple(range(10, 100, 10)), "trials": 1, "protocols": ("robust",)},
    "rows": {"sites": (16, 64), "trials": 2, "adversaries": ("a-b, c 1", "b", "c", "d", "e-f", "g")},
    "six": {"sites": (64,), "trials": 2, "protocols": ("exact", "deterministic", *PAIR, "own-1", "own-2")},
    "one": {"sites": (64,), "trials": 1, "protocols": ("robust",), "adversaries": ("freeze",)},
    "free": {"sites": (64,), "trials": 1, "protocols": ("robust",), "adversaries": ("freeze",)},
    "budget": {"sites": (64,), "trials": 2, "protocols": ("robust",)},
}  # fmt: skip
FIGURES: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "cost": ("plain", COST),
    "cost-title": ("plain", {**COST, "title": "Another title", "y": "bits"}),
    "cost-lower": ("late", {**COST, "y": "words-per-efold", "lower_bounds": True}),
    "cost-alpha": ("accuracy", {"kind": "cost", "x": "alpha", "lower_bounds": True}),
    "cost-items": ("growth", {"kind": "cost", "x": "items"}),
    "cost-start": ("late", {"kind": "cost", "x": "start"}),
    "cost-three": ("many", {**COST, "lower_bounds": True}),
    "cost-zero": ("burn", {"kind": "cost", "x": "burn"}),
    "cost-long": ("long", COST),
    "cost-medium": ("medium", COST),
    "error": ("plain", {"kind": "error", "x": "sites"}),
    "error-edges": ("edges", {"kind": "error", "x": "sites"}),
    "error-three": ("many", {"kind": "error", "x": "sites"}),
    "measure": ("plain", {"kind": "measure", "x": "sites", "y": "output_changes", "theory": 7.5}),
    "measure-column": ("plain", {"kind": "measure", "x": "sites", "y": "rounds", "theory": "broadcasts"}),
    "measure-shares": ("edges", {"kind": "measure", "x": "sites", "y": "ok"}),
    "frontier": ("plain", {"kind": "frontier"}),
    "frontier-edges": ("edges", {"kind": "frontier"}),
    "frontier-own": ("late", {"kind": "frontier"}),
    "frontier-alpha": ("accuracy", {"kind": "frontier"}),
    "frontier-three": ("many", {"kind": "frontier"}),
    "ratio": ("plain", {"kind": "ratio"}),
    "ratio-alpha": ("accuracy", {"kind": "ratio"}),
    "size": ("sets", {"kind": "size"}),
    "timeline": ("plain", {"kind": "timeline"}),
    "timeline-six": ("six", {"kind": "timeline"}),
    "timeline-one": ("one", {"kind": "timeline"}),
    "timeline-free": ("free", {"kind": "timeline"}),
    "breakdown": ("plain", {"kind": "breakdown", "x": "sites"}),
    "breakdown-one": ("one", {"kind": "breakdown"}),
    "matrix": ("rows", {"kind": "matrix", "controls": True}),
    "matrix-edges": ("edges", {"kind": "matrix"}),
    "matrix-free": ("budget", {"kind": "matrix"}),
    "spread": ("six", {**SPREAD, "limit": 5e5, "also": "messages, bits, rounds", "centre": "mean"}),
    "spread-limit": ("edges", {**SPREAD, "y": "max_rel_error", "limit": "alpha", "limit_says": "promised"}),
    "budget": ("budget", {"kind": "budget"}),
}  # fmt: skip
ROWS: Final = ("matrix", "timeline", "breakdown")
UNREGISTERED: Final = {name for name, (_, request) in FIGURES.items() if request["kind"] not in kinds("plot")}
"""Figures of a wing that this tree is without: their files stay as they are."""
TWICE: Final = {"cost-two": COST, "spread-two": SPREAD, **{f"{kind}-two": {"kind": kind} for kind in ROWS}}
"""Figures of two results."""


@cache
def result(folder: Path, name: str) -> Path:
    """Write a synthetic result, some with games that are edited, and return its folder."""
    made = write_result(folder / name, **RESULTS[name])
    rows = pd.read_csv(made / "trials.csv")
    if name == "edges":
        low, lost = rows["protocol"] == "randomized", (rows["protocol"] == "robust") & (rows["trial"] > 0)
        rows.loc[low, "max_rel_error"] /= 10
        rows.loc[lost & (rows["adversary"] == "freeze"), ["max_rel_error", "verdict", "ok"]] = inf, "failed", False
        rows.loc[(rows["protocol"] == "martingale") & (rows["sites"] == 16), "max_rel_error"] = None
    if name == "free":
        rows[["alpha", "verdict", "ok"]] = None, "undecided", None
    if name == "sets":
        rows["_max_abs_error"] = 1.0  # as games on data sets have
    if name == "budget":
        rows[["alpha", "_ledger"]] = None, json.dumps(LEDGER)
    rows.to_csv(made / "trials.csv", index=False)
    if name == "late":
        manifest = json.loads((made / "manifest.json").read_text(encoding="utf-8"))
        for point in manifest["points"]:
            point["start"] = 1000 * point["sites"]
        rows["start"] = 1000 * rows["sites"]
        rows.to_csv(made / "trials.csv", index=False)
        (made / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return made


def drawn(folder: Path, names: tuple[str, ...], request: dict[str, Any]) -> str:
    """Return what a figure describes, and its caption."""
    plot = check_plot(request)
    made = described_of(read_tables([result(folder, name) for name in names]), plot)
    return "\n".join([*told(made), f"in words: {caption_of(plot, made)}"]) + "\n"


def of_game(**more: Any) -> str:
    """Return what the timeline of a game describes."""
    game = play(Randomized(alpha=0.2), Freeze(), sites=64, items=4000, seed=1, **more)
    return "\n".join(told(game_described(game))) + "\n"


def told(thing: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the lines of a part of a description, plain values on its first one; what is as usual is left out."""
    start = "  " * depth + (f"{name}: " if name else "")
    if is_dataclass(thing):
        values = {one.name: getattr(thing, one.name) for one in fields(thing) if one.repr and not usual(thing, one)}
        flat = {key: plain(value) for key, value in values.items()}
        head = [f"{key} {text}" for key, text in flat.items() if text is not None]
        yield " ".join([f"{start}{type(thing).__name__}", "; ".join(head)]).rstrip()
        for key, value in values.items():
            if flat[key] is None:
                yield from told(value, key, depth + 1)
    elif callable(thing):
        yield start + ", ".join(map(thing, TICKS))
    elif isinstance(thing, list | tuple) and any(is_dataclass(one) or isinstance(one, list | tuple) for one in thing):
        yield start.rstrip()
        for one in thing:
            pair = [plain(part) for part in one] if isinstance(one, tuple) else [None]
            yield from told(one, "", depth + 1) if None in pair else ["  " * (depth + 1) + ": ".join(map(str, pair))]
    else:
        yield start + (plain(thing) or short_of(np.ravel(np.asarray(thing, dtype=object)).tolist()))


def usual(thing: Any, field: Field[Any]) -> bool:
    """Return whether a field has its default."""
    value = getattr(thing, field.name)
    return type(value) is type(field.default) and bool(value == field.default)


def plain(value: Any) -> str | None:
    """Return a value that fits on a line, None for others: parts, functions, and lists of numbers."""
    if is_dataclass(value):
        known = {one.name: getattr(value, one.name) for one in fields(value) if not usual(value, one)}
        short = isinstance(value, Look | Fill)
        return f"({', '.join(f'{key} {text}' for key, text in known.items())})" if short else None
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return repr(list(value))
    if isinstance(value, list | tuple | np.ndarray) or callable(value):
        return None
    return f"{value:.8g}" if isinstance(value, float) else repr(value)


def short_of(values: list[Any]) -> str:
    """Return values with eight digits."""
    texts = ["none" if one is None else f"{one:.8g}" for one in values]
    if len(values) <= MOST:
        return ", ".join(texts)
    known = [one for one in values if one is not None and np.isfinite(one)]
    return f"{texts[0]}, {texts[1]} … {texts[-1]}: {len(values)}, together {sum(known):.8g}"


def wanted(folder: Path) -> dict[str, Callable[[], str]]:
    """Return what makes each golden text, by its name; the results are written to a folder."""
    known = {name: figure for name, figure in FIGURES.items() if name not in UNREGISTERED}
    alone = {name: partial(drawn, folder, (of,), request) for name, (of, request) in known.items()}
    both = {name: partial(drawn, folder, ("one", "free"), request) for name, request in TWICE.items()}
    games = {"game-recorded": partial(of_game, record=True), "game-late": partial(of_game, start=20_000)}
    return alone | both | games


def regenerate_figures(folder: Path) -> int:
    """Write every file anew, remove those of no figure, and say what has changed."""
    kept = {f"{name}.txt": (FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in UNREGISTERED}
    write_all(FOLDER, kept | {f"{name}.txt": make() for name, make in wanted(folder).items()}, shown="figures/")
    return 0
