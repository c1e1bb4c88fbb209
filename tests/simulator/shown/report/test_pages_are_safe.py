"""Pages run only their own scripts and styles, whatever stands in the files of the results that they show."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from commands import disttrack
from parsed_pages import Parsed
from synthetic_results import write_claims, write_result

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.shown.plots import draw
from disttrack.simulator.shown.report.report import write_report

EVIL = "'\"--></style></script></svg><script>alert(1)</script><img src=x onerror=alert(1)>{}"
FOREIGN = (
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script>'
    '<style>body{display:none}</style><foreignObject><iframe src="https://x.org"/></foreignObject></svg>'
)


def hold_safe(path: Path) -> None:
    """Hold that a page has only the scripts and style sheets that its policy allows, and each of these once."""
    page = Parsed(path.read_text(encoding="utf-8"))
    assert page.wrong == page.crossed == page.open == []
    assert "'unsafe-inline'" not in page.policy.replace("style-src-attr 'unsafe-inline'", "")
    for tag, texts in page.sources.items():
        (sources,) = re.findall(rf"{tag}-src ([^;]*);", page.policy)
        digests = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts]
        assert sources.split() == digests


@pytest.mark.slow
def test_every_page_allows_its_own_scripts_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        folder = write_result(tmp_path / name, sites=(16,), trials=1, protocols=("robust",), plots=["matrix"])
    draw(results := Results(folder))
    hold_safe(write_report(results))
    small = ("--protocol", "exact", "--sites", "2", "--items", "9")
    assert disttrack("play", *small, "--record", "game").exit_code == 0
    assert disttrack("replay", "game").exit_code == 0
    hold_safe(Path("replay.html"))


@pytest.mark.parametrize("heavy", [False, True])
def test_a_picture_of_somebody_else_is_an_image(tmp_path: Path, heavy: bool) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=1, protocols=("robust",), plots=["matrix"])
    draw(folder)
    (folder / "figures" / "matrix.svg").write_text(FOREIGN + " " * 2_000_000 * heavy)
    page = write_report(folder)
    hold_safe(page)
    text = page.read_text()
    assert "alert" not in text
    assert f"<img alt='' src='data:image/{'png' if heavy else 'svg+xml'};base64," in text
    assert disttrack("report", str(folder)).exit_code == 0  # draws it from the tables
    hold_safe(page)
    assert "<img" not in page.read_text()


def planted(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a document with markup in place of each of its texts in turn."""
    if isinstance(value, str):
        yield path, EVIL
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in pairs:
        for place, evil in planted(inside, (*path, str(key))):
            copy: Any = dict(value) if isinstance(value, dict) else list(value)
            copy[key] = evil
            yield place, copy


def full_result(folder: Path) -> Path:
    """Write a small result that has every kind of text."""
    write_result(folder, sites=(16,), trials=2, protocols=("robust", "randomized"), plots=["matrix"])
    claim = {"name": "it holds", "where": "sites > 1", "group": "sites == 16", "measure": "max(words)", "note": "note"}
    write_claims(folder, {**claim, "bound": "<= 5", "verdict": "FAIL", "control": 1.0, "broken": "no noise"})
    rows = pd.read_csv(folder / "trials.csv", dtype={"error": str})
    rows.loc[0, ["verdict", "ok", "error"]] = ["error", False, "ValueError: x"]
    rows.to_csv(folder / "trials.csv", index=False)
    rows.head(2).assign(claim="it holds", broken="no noise").to_csv(folder / "controls.csv", index=False)
    (folder / "errors.txt").write_text("Traceback\n")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest |= {"name": "full", "comment": "Why?\n\nSo.", "rules": 1, "versions": {"numpy": "2"}, "begun": "now"}
    manifest |= {"machine": {"system": "Linux"}, "files": {"a.py": "0"}, "workers": "1", "code": {"digest": "0"}}
    manifest["scenario"] |= {"finding": "Found.", "claims": [{"name": "it holds", "no_control": "x", "source": "y"}]}
    for point in manifest["points"]:
        point |= {"engine": "leap", "engine_reason": "asked", "network": {"link": "reliable"}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.slow
def test_no_text_of_a_folder_becomes_markup(tmp_path: Path) -> None:
    folder = full_result(tmp_path / "r")
    whole = {path: path.read_text() for path in folder.glob("*.*")}
    manifest, shown = json.loads(whole[folder / "manifest.json"]), 0

    def tried() -> int:
        try:
            page = write_report(folder)
        except ValueError:
            return 0
        finally:
            for path, text in whole.items():
                path.write_text(text)
        hold_safe(page)
        return 1

    for _, evil in planted(manifest):
        (folder / "manifest.json").write_text(json.dumps(evil))
        shown += tried()
    (folder / "errors.txt").write_text(EVIL)
    shown += tried()
    for table in folder.glob("*.csv"):
        rows = pd.read_csv(table)
        for column in rows.columns:
            if rows[column].dtype == object:
                rows.assign(**{column: EVIL}).to_csv(table, index=False)
                shown += tried()
            rows.rename(columns={column: EVIL}).to_csv(table, index=False)
            shown += tried()
    assert shown > 30
