"""A counter of another package is a class and an entry point."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from disttrack.mechanisms import PerItem, counters
from disttrack.simulator.cli import main
from disttrack.simulator.kinds import installed, registry


@dataclass(frozen=True)
class Doubled(PerItem):
    """A noise for every entry."""

    kind = "doubled"
    error = "sqrt(8 t) / epsilon"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every look for entry points find the class."""

    def entry_points(group: str, **given: Any) -> list[EntryPoint]:
        points = [EntryPoint("doubled", f"{__name__}:Doubled", "disttrack.protocols")]
        points += installed.entry_points("disttrack.kinds")  # of the wings that are there
        return [point for point in points if point.matches(group=group, **given)]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    monkeypatch.setattr(counters, "entry_points", entry_points)
    registry.kinds.cache_clear()
    yield
    registry.kinds.cache_clear()


ALONE = """\
name: alone
task: continual-count
trials: 3
steps: [16, 64]
protocol: {kind: doubled, epsilon: 1}
adversary: round-robin
"""

INSIDE = """\
name: inside
sites: 100
items: 20000
protocol: {kind: robust, alpha: 0.3, counter: doubled, parameters: [paper, tight]}
adversary: freeze
"""


def printed(*words: str) -> str:
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_counter_of_another_package_is_found_by_its_name() -> None:
    assert counters.counter_class("doubled").kind == "doubled"
    assert counters.counter("doubled", epsilon=1.0).epsilon == 1.0
    with pytest.raises(ValueError, match="counter must be one of"):
        counters.counter_class("trebled")


@pytest.mark.slow
def test_one_registration_serves_every_place_that_takes_a_counter(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("disttrack.privacy")  # whose task plays counters
    # a thread that another test has left would make workers spawn, and these would not know the class
    monkeypatch.setattr("threading.active_count", lambda: 1)
    for name, text in (("alone", ALONE), ("inside", INSIDE)):
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
    printed("run", "alone.yaml", "inside.yaml", "--no-figures", "--workers", "1", "--out", "out")
    alone, inside = (pd.read_csv(Path("out", name, "trials.csv")) for name in ("alone", "inside"))
    assert set(alone["protocol"]) == {"doubled"}
    assert alone["items"].tolist() == [16] * 3 + [64] * 3
    assert set(inside["verdict"]) <= {"ok", "failed", "undecided"}
    assert inside["rounds"].min() >= 2
    assert "doubled" in printed("list", "mechanisms")
    assert ": doubled\n" in printed("list")
    assert "doubled" in printed("list", "continual-count")
    assert "sqrt(8 t) / epsilon" in printed("describe", "doubled")
    assert "stands" in printed("audit", "doubled", "--runs", "300")
    protocols = json.loads(printed("schema"))["$defs"]["protocol"]["anyOf"]
    assert {"const": "doubled"} in [entry.get("properties", {}).get("kind", {}) for entry in protocols]
