"""Files of a result that anybody may have written: refused in one line, or read to the last digit."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from commands import disttrack, refused
from hypothesis import given
from hypothesis import strategies as st
from synthetic_results import write_result

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import (
    digests_of,
    from_texts,
    in_texts,
    read_captions,
    read_manifest,
    read_table,
    store_manifest,
)
from disttrack.simulator.game.columns import TRIALS
from disttrack.simulator.shown.replay.files import load
from disttrack.simulator.shown.replay.record import About, made_shorter

_OTHERS = [name for name in TRIALS if name not in ("point", "trial", "max_rel_error")]
_BLANK = "," * len(_OTHERS) + "\n"
GOOD = {"scenario": {"name": "x", "plots": ["cost"]}, "points": [{"point": 0, "protocol": {"kind": "exact"}}]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value"),
        ("{}", "scenario: Field required"),
        ("[" * 100_000, "recursion"),
        (json.dumps({**GOOD, "points": [{"point": 0, "protocol": {"alpha": {}}}]}), "points.0.protocol.alpha"),
        (json.dumps({"scenario": {"claims": [{"no_control": []}]}}), "scenario.claims.0.no_control"),
    ],
)
def test_a_hostile_manifest_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "trials.csv").write_text("point,ok\n", encoding="utf-8")
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=message) as caught:
        _ = Results(tmp_path).scenario
    assert "\n" not in str(caught.value)


def test_a_manifest_that_was_edited_by_hand_is_refused(tmp_path: Path) -> None:
    store_manifest(tmp_path, {**GOOD, "seconds": 1.5})
    manifest = tmp_path / "manifest.json"
    content = read_manifest(manifest)
    store_manifest(tmp_path, content)  # the checksum is of what it is written with
    assert read_manifest(manifest) == content
    manifest.write_text(manifest.read_text().replace("1.5", "2.5"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^manifest\.json cannot be read: edited since it was written$"):
        read_manifest(manifest)


@pytest.mark.parametrize("damage", [lambda packed: packed[:-20], lambda packed: packed[:40] + b"?" + packed[41:]])
def test_a_compressed_table_is_read_as_a_plain_one(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    folder = write_result(tmp_path)
    games, digests = Results(folder).trials, digests_of(folder)
    packed = gzip.compress((folder / "trials.csv").read_bytes(), mtime=0)
    (folder / "trials.csv.gz").write_bytes(packed)
    (folder / "trials.csv").unlink()
    assert Results(folder).trials.equals(games)
    assert digests_of(folder) == digests
    (folder / "trials.csv.gz").write_bytes(damage(packed))
    for known in (digests, None):
        with pytest.raises(ValueError, match=r"^trials\.csv cannot be read: [^\n]*$"):
            read_table(folder / "trials.csv", known)


def test_numbers_are_read_to_their_last_digit(tmp_path: Path) -> None:
    """pandas below 3.1 reads a sixth of such numbers with another last digit, unless it is asked not to."""
    folder = write_result(tmp_path)
    values = np.random.default_rng(0).lognormal(0, 20, 2000)
    rows = "".join(f"0,{number},{value!r}\n" for number, value in enumerate(values.tolist()))
    (folder / "trials.csv").write_text(
        f"point,trial,max_rel_error,{','.join(_OTHERS)}\n" + rows.replace("\n", _BLANK), "utf-8"
    )
    assert (read_table(folder / "trials.csv", None)["max_rel_error"].to_numpy() == values).all()


def test_a_table_that_is_no_whole_one_is_refused(tmp_path: Path) -> None:
    file = write_result(tmp_path) / "trials.csv"
    whole = file.read_text(encoding="utf-8")
    for column in ("trial", "point"):
        pd.read_csv(file).assign(**{column: 0.5}).to_csv(file, index=False)
        with pytest.raises(ValueError, match=f"^trials.csv, column {column}: not all are whole numbers"):
            read_table(file)
        file.write_text(whole, encoding="utf-8")
    file.write_text(whole.rstrip(), encoding="utf-8")
    with pytest.raises(ValueError, match="it is not whole"):
        read_table(file)


# ---------------------------------------------------------------------- damaged folders


@pytest.mark.parametrize(("key", "value"), [("parts", {"a": "text"}), ("adversary", 5)])
def test_a_manifest_with_parts_of_other_types_is_one_line(tmp_path: Path, key: str, value: Any) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=1, protocols=("robust",))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["scenario"][key] = value
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for command in (("compare", str(folder), str(folder), "--out", str(tmp_path / "c")), ("report", str(folder))):
        assert f"scenario.{key}" in refused(*command)


def test_a_record_that_is_nested_too_deep_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "game").write_bytes(b"[" * 5000 + b"\n")
    assert "not a recorded game" in refused("replay", str(tmp_path / "game"), "--out", str(tmp_path / "page.html"))


@pytest.mark.parametrize("content", [b"", b'{"a": 1}', b"\xff", b"[" * 5000])
def test_damaged_captions_are_written_again(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "figures" / "captions.json"
    path.parent.mkdir()
    path.write_bytes(content)
    assert read_captions(tmp_path) == {}


# ---------------------------------------------------------------------- whole numbers that doubles cannot hold


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


def test_a_run_with_huge_numbers(folder: Path) -> None:
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
