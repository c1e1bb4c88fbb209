"""Whole numbers that doubles cannot hold: in every JSON that is written, and as they were when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import disttrack
from hypothesis import given
from hypothesis import strategies as st

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.stored import from_texts, in_texts, read_manifest
from disttrack.simulator.shown.replay.files import load
from disttrack.simulator.shown.replay.record import About, made_shorter

HUGE = 2**60 + 1
"""No double: JavaScript would read it as 2^60."""
SIDES = {"protocol": {"kind": "deterministic", "alpha": 0.2}, "adversary": "freeze"}

words = st.text("abc-. ", max_size=9)
leaves = st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers(-(2**62), 2**62) | words
plain = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3))


@given(plain)
def test_they_are_read_as_they_were_written(value: Any) -> None:
    as_doubles = json.loads(json.dumps(in_texts(value)), parse_int=lambda digits: int(float(digits)))
    assert from_texts(as_doubles) == value


def test_a_run_with_huge_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = {"sites": 2, "items": 9, "start": HUGE - 9, "trials": 2, "seed": HUGE}
    Path("huge.yaml").write_text(yaml.safe_dump({"name": "huge", **SIDES, **sizes}))
    assert disttrack("run", "huge.yaml", "--out", "out", "--workers", "1", "--no-figures").exit_code == 0
    text = Path("out/manifest.json").read_text()
    assert str(HUGE) in text
    assert all(abs(number) <= 2**53 for number in numbers_in(json.loads(text)))
    manifest = read_manifest(Path("out/manifest.json"))
    assert (manifest["scenario"]["seed"], manifest["points"][0]["start"]) == (HUGE, HUGE - 9)


def test_a_game_with_a_huge_seed(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    flags = ("--protocol", "randomized", "--sites", "3", "--items", "50", "--seed", str(HUGE), "--record", str(game))
    shown = json.loads(disttrack("play", *flags, "--json").stdout)
    assert shown["seed"] == str(HUGE)
    assert json.loads(game.read_text().splitlines()[0])["seed"] == str(HUGE)
    assert load(game).about.seed == HUGE


def test_a_record_of_another_version_that_plays_otherwise_now_says_so(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    disttrack("play", "--protocol", "randomized", "--sites", "3", "--items", "50", "--record", str(game))
    about = About(**{**load(game).about.model_dump(), "messages": 7, "engine": "bulk"})
    with pytest.raises(ScenarioError, match=r"now another game: \d+ messages.* it had 7, .*bulk\): record"):
        made_shorter(about, "adversary")


def numbers_in(value: Any) -> list[float]:
    """Return all numbers of a document."""
    if isinstance(value, dict | list):
        return [one for part in (value.values() if isinstance(value, dict) else value) for one in numbers_in(part)]
    return [value] if isinstance(value, int | float) else []
