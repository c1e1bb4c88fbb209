"""Small games of every protocol that can be served and of others, by each engine that plays them, a line each.

``python tests/fleet/every_game.py`` plays them anew with Python 3.11, the oldest one, and writes the golden file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

sys.path += [str(Path(__file__).parent / "live")]

from every_protocol import every_protocol

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.engine_choice import COMPILED, ENGINE_NAMES, available
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import game_of, kinds

GOLDEN: Final = Path(__file__).with_name("every_game.txt")
OTHERS: Final = (
    *("frequency-deterministic alpha=0.2", "frequency-randomized alpha=0.3", "frequency-sample alpha=0.3"),
    *("frequency-switching alpha=0.3", "heavy-hitters alpha=0.1", "rank-deterministic alpha=0.2"),
    *("rank-randomized alpha=0.2", "item-sample alpha=0.2 size=20"),
    *("binary epsilon=1", "k-ary epsilon=1", "square-root epsilon=1", "unbounded epsilon=1"),
)
"""Protocols and mechanisms that are not served; those of a wing that is not there are left out."""
NETWORK: Final = {"latency": {"uniform": {"from": 1, "to": 6}}, "loss": 0.1, "duplication": 0.1, "link": "reliable"}
ADVERSARIES: Final = ("uniform", "freeze", "uniform on a network")
COLUMNS: Final = ("verdict", "messages", "words", "bits", "max_rel_error", "overshoot", "utilisation", "waiting")
"""Columns of games with sites that are compared, beside transcripts and outputs."""
SIZE: Final = 400
DIGITS: Final = 9
"""Digits of real numbers that are compared: the last ones are those of the machine's logarithms."""


def lines() -> Iterator[str]:
    """Play all games; yield the protocol, adversary, engine, verdict, and a digest of the record."""
    for name, made in every_protocol(threshold=SIZE, epsilon=0.25, window=100, limit=40).items():
        task = game_of(type(made)) or Count.kind
        size = {{"quota": "requests", "threshold": "threshold"}.get(task, "items"): SIZE}
        for adversary in ADVERSARIES[: 3 if task != "threshold" else 2]:
            network = {"network": NETWORK} if "network" in adversary else {}
            sides = {"protocol": {"kind": name, **made.as_mapping()}, "adversary": adversary.split()[0]}
            yield from _by_engines(name, adversary, {"task": task, "sites": 5, **size, **sides, **network})
    for text in OTHERS:
        entry = entry_of(text)
        if entry["kind"] in kinds("protocol"):
            yield from _by_engines(entry["kind"], *_other(entry))


def _other(entry: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the adversary of a game that is not served, the first that its task has, and the scenario."""
    task = game_of(kinds("protocol")[entry["kind"]].load()) or Count.kind
    game = kinds("task")[task].load()
    adversary = next(iter(game.kinds("adversary")))
    sizes = {size.key: 5 if size.key == "sites" else 64 for size in game.sizes if size.column != "start"}
    return adversary, {"task": task, "protocol": entry, "adversary": adversary, **sizes}


def _by_engines(name: str, adversary: str, data: Mapping[str, Any]) -> Iterator[str]:
    for engine in ENGINE_NAMES if "sites" in data else ("auto",):
        if engine == COMPILED and not available():
            continue
        try:
            point = load({"name": "every", **data, **({} if engine == "auto" else {"engine": engine})}).points[0]
        except ScenarioError as error:
            if "engine" not in str(error):
                raise
            continue
        yield f"{name}; {adversary}; {engine}: {_played(point)}"


def _played(point: Point) -> str:
    task = point.task.make()
    record = task.play(point, 7)
    shown = COLUMNS if point.sites else record.row.keys() - {"seconds"}
    row = {name: _rounded(value) for name, value in record.row.items() if name in shown}
    content = [repr(sorted(row.items()))]
    if isinstance(task, Count) and point.engine in ("step", "leap"):
        game = task.game(point, seed=7, record=True)
        content += [game.transcript.to_csv(index=False), repr([*map(_rounded, game.outputs["output"])])]
    digest = sha256("\n".join(content).encode()).hexdigest()[:16]
    return f"{row.get('verdict', '-')}, {row.get('messages', 0)} messages, {digest}"


def _rounded(value: object) -> object:
    value = value.item() if hasattr(value, "item") else value
    return f"{value:.{DIGITS}g}" if isinstance(value, int | float) else value


if __name__ == "__main__":
    GOLDEN.write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")
