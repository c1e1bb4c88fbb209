"""A manifest that anybody may have written: refused in one line, or good for a page."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import digests_of, read_manifest, read_table, store_manifest
from disttrack.simulator.game.columns import TRIALS

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
        with pytest.raises(ValueError, match=f"^trials.csv, column {column}: not a whole number in every row"):
            read_table(file)
        file.write_text(whole, encoding="utf-8")
    file.write_text(whole.rstrip(), encoding="utf-8")
    with pytest.raises(ValueError, match="it is not whole"):
        read_table(file)
