"""All results below a folder, a row each, from their manifests and claims: no table of games is read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError, refusing
from disttrack.simulator.experiments.claims.expressions import ExpressionError, column_of, condition
from disttrack.simulator.experiments.results.stored import MANIFEST, SENTENCES, Plain, read_manifest, text_rows
from disttrack.simulator.game.columns import CLAIMS_CSV, VERDICT

COLUMNS: Final = ("folder", "scenario", "begun", "games", "errors", "claims", "held", "differs")
"""Columns of a listing; `held` counts the claims that hold, `claims` those that were judged."""
SEEDS: Final = "seeds"
"""Folder within a result with those of fresh seeds, which are not listed."""
TEXTS: Final = (*SENTENCES, "claims", "plots")
"""Keys of a scenario that say nothing of its games."""

Row = dict[str, str | int]


def results_below(folder: Path, where: str = "") -> tuple[list[Row], list[str]]:
    """Return the results below a folder, the oldest first, and a line for each whose manifest cannot be read.

    Parameters
    ----------
    where
        A condition on `COLUMNS`, as scenarios have them: ``held < claims and scenario == 'scale'``.

    Raises
    ------
    ScenarioError
        The folder is not there, or the condition cannot be read.
    """
    if not folder.is_dir():
        raise ScenarioError(f"{folder}: no such folder")
    rows: list[Row] = []
    scenarios: list[Plain] = []
    damaged = []
    for place in _places(folder):
        try:
            manifest = read_manifest(place / MANIFEST)
        except ValueError as error:
            damaged.append(f"{place}: {error}; run the scenario again")
            continue
        if "points" in manifest:  # other programs have files of this name too
            rows.append(_row(place, manifest))
            scenarios.append(manifest["scenario"])
    for row, differs in zip(rows, _differences([str(row["scenario"]) for row in rows], scenarios), strict=True):
        row["differs"] = differs
    return sorted(_chosen(rows, where), key=lambda row: row["begun"]), damaged


def _places(folder: Path) -> Iterator[Path]:
    for place, below, files in os.walk(folder):
        below[:] = sorted(one for one in below if one != SEEDS and not one.startswith("."))
        if MANIFEST in files:
            yield Path(place)


def _row(folder: Path, manifest: Plain) -> Row:
    verdicts = [row[VERDICT] for row in text_rows(folder / CLAIMS_CSV)]
    games = manifest.get("games", {})
    return {
        "folder": str(folder),
        "scenario": str(manifest.get("name", "")),
        "begun": str(manifest.get("begun", ""))[:16].replace("T", " "),
        "games": games.get("all", 0),
        "errors": games.get("errors", 0),
        "claims": sum(verdict != "SKIPPED" for verdict in verdicts),
        "held": verdicts.count("PASS"),
    }


def _chosen(rows: list[Row], where: str) -> list[Row]:
    if not where or not rows:
        return rows
    with refusing("where", ExpressionError):
        chosen = condition(where, {name: column_of([row[name] for row in rows]) for name in COLUMNS})
    return [row for row, one in zip(rows, chosen, strict=True) if one]


def _differences(names: Sequence[str], scenarios: Sequence[Plain]) -> list[str]:
    """Return the keys, as `--set` takes them, in which each scenario differs from another of its name."""
    flat = [dict(_leaves({key: value for key, value in one.items() if key not in TEXTS})) for one in scenarios]
    texts = []
    for name, mine in zip(names, flat, strict=True):
        others = [other for called, other in zip(names, flat, strict=True) if called == name]
        keys = dict.fromkeys(key for other in others for key in other)
        differing = [key for key in keys if len({other.get(key) for other in others}) > 1 and key in mine]
        texts.append(", ".join(f"{key}={mine[key]}" for key in differing))
    return texts


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values inside mappings and lists of mappings, each with its key."""
    of_mappings = isinstance(value, list) and any(isinstance(one, Mapping) for one in value)
    if not isinstance(value, Mapping) and not of_mappings:
        yield path, value if isinstance(value, str) else json.dumps(value)
        return
    for key, one in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield from _leaves(one, f"{path}.{key}" if path else str(key))
