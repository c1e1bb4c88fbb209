"""Figures and pages are left alone when nothing that they depend on has changed, and made again when anything has."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic_results import write_result

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import read_manifest, store_manifest
from disttrack.simulator.shown.plots import unchanged
from disttrack.simulator.shown.plots.kinds import Matrix
from disttrack.simulator.shown.terminal.drawn import draw_figures, write_page

pytestmark = pytest.mark.slow

ASKED = [{"kind": "matrix"}]


def drawn(folder: Path, style: str = "screen", own: dict[str, object] | None = None) -> bool:
    """Draw a figure by the command's function; return whether files were written anew."""
    before = {path: path.stat().st_ino for path in folder.rglob("*.png")}
    files: list[Path] = []
    assert draw_figures(Results(folder, own), ASKED, style=style, drawn=files) == ""
    return any(before.get(path) != path.stat().st_ino for path in files if path.suffix == ".png")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a result whose figure has just been drawn."""
    folder = tmp_path / "result"
    write_result(folder, sites=(16,), trials=2)
    assert drawn(folder)
    return folder


def edit_manifest(folder: Path, change: Callable[[dict[str, dict[str, object]]], object]) -> None:
    manifest = read_manifest(folder / "manifest.json")
    change(manifest)
    store_manifest(folder, manifest)


def edit_table(folder: Path) -> None:
    """Put the first game last, as a run that gives other games does: with the digest in the manifest."""
    path = folder / "trials.csv"
    head, first, *rest = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([head, *rest[:-1], first, b""]))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    edit_manifest(folder, lambda manifest: manifest.get("tables", {}).update({"trials.csv": digest}))


CHANGES: dict[str, Callable[[Path], object]] = {
    "table": edit_table,
    "scenario": lambda folder: edit_manifest(folder, lambda one: one["scenario"].update(question="why?")),
    "edited picture": lambda folder: (folder / "figures/matrix.png").write_bytes(b"edited"),
    "deleted picture": lambda folder: (folder / "figures/matrix.svg").unlink(),
    "caption": lambda folder: (folder / "figures/captions.json").unlink(),
}


def test_nothing_changed_draws_nothing(folder: Path) -> None:
    assert not drawn(folder)
    assert drawn(folder, "paper")
    assert not drawn(folder, "paper")
    assert not drawn(folder)


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_a_file_draws_again(folder: Path, change: str) -> None:
    CHANGES[change](folder)
    assert drawn(folder)
    assert not drawn(folder)


@pytest.mark.parametrize(("name", "value"), [("whole_code", lambda: "edited"), ("version_of", lambda name: "0")])
def test_other_code_or_libraries_draw_again(
    folder: Path, name: str, value: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unchanged, name, value)
    assert drawn(folder)
    assert not drawn(folder)


def test_code_that_changes_while_figures_are_drawn_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_result(tmp_path, sites=(16, 64), trials=2)
    digests = iter(["before", "after"])
    with monkeypatch.context() as patched:
        patched.setattr(unchanged, "whole_code", lambda: next(digests))
        assert drawn(tmp_path)
    assert drawn(tmp_path)


def test_unchanged_figures_are_left_alone_without_a_library_of_tables(folder: Path) -> None:
    script = (
        "import sys\nfrom disttrack.simulator.cli import main\n"
        "try:\n    main(['plot', sys.argv[1], '--plot', 'matrix'])\n"
        "except SystemExit as end:\n"
        "    sys.exit(end.code or sorted({'numpy', 'pandas', 'matplotlib'} & set(sys.modules)) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [str(folder / f"figures/matrix.{form}") for form in ("png", "svg")]


def test_classes_of_the_user_always_draw(folder: Path) -> None:
    assert drawn(folder, own={"mine.py:Mine": Matrix})


def test_files_that_were_copied_are_drawn_again_whatever_the_manifest_says(folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "other" / folder.name
    shutil.copytree(folder, copied)
    assert drawn(copied)


PAGE_CHANGES: dict[str, Callable[[Path], object]] = {
    "edited picture": CHANGES["edited picture"],
    "tracebacks": lambda folder: (folder / "errors.txt").write_text("edited"),
    "edited page": lambda folder: (folder / "report.html").write_text("edited"),
    "deleted page": lambda folder: (folder / "report.html").unlink(),
    "duration": lambda folder: edit_manifest(folder, lambda one: one.update(seconds=1.5)),
    "scenario": CHANGES["scenario"],
}


def test_a_page_is_written_again_after_any_change(folder: Path) -> None:
    def written() -> bool:
        before = place(page)
        assert write_page(Results(folder)) == (page, "")
        return place(page) != before

    edit_manifest(folder, lambda one: one["scenario"].update(plots=ASKED))
    page = folder / "report.html"
    assert written()
    first = page.read_bytes()
    assert b"data-figure" in first
    for name, change in PAGE_CHANGES.items():
        assert not written()
        change(folder)
        assert written()
        assert (page.read_bytes() == first) == (name not in ("duration", "scenario"))


def place(path: Path) -> tuple[int, int] | None:
    """Return what differs between a file and another one written in its place."""
    return (path.stat().st_ino, path.stat().st_ctime_ns) if path.is_file() else None
