"""Whatever is damaged in a folder of results is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import refused
from synthetic_results import write_result

from disttrack.simulator.experiments.results.stored import read_captions


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
