"""Entry points of installed packages: the same as `importlib.metadata` finds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from disttrack import installed
from disttrack.installed import EntryPoint, entry_points, version_of

GROUPS = ("protocols", "adversaries", "tasks", "plots", "names", "commands", "advice", "scenarios")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder that comes first among those of installed packages."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("_all", "_folders"):
        vars(installed)[name].cache_clear()
    yield tmp_path
    for name in ("_all", "_folders"):
        vars(installed)[name].cache_clear()


def _write(folder: Path, points: str, metadata_file: str = "METADATA", name: str = "My.Package") -> None:
    folder.mkdir(parents=True)
    (folder / "entry_points.txt").write_text(points, encoding="utf-8")
    (folder / metadata_file).write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8")


def _reference(group: str) -> list[tuple[str, str, str, str]]:
    found = metadata.entry_points().select(group=group)
    return sorted((one.name, one.value, one.group, one.dist.name) for one in found if one.dist is not None)


def test_they_are_those_of_importlib(places: Path) -> None:
    _write(
        places / "my_package-1.dist-info",
        "# a comment\n[console_scripts]\nmine = my_package:main\n\n[disttrack.protocols]\n# another\n"
        "own=my_package.inner:Own\n\n other = my_package:Out.Inner\n[disttrack.names]\nOne = my_package:One\n",
    )
    _write(places / "old.egg-info", "[disttrack.plots]\nbars = old:Bars\n", "PKG-INFO", "old")
    _write(places / "later" / "my_package-2.dist-info", "[disttrack.protocols]\nhidden = my_package:Hidden\n")
    sys.path.insert(1, str(places / "later"))  # `syspath_prepend` takes it back
    for group in (f"disttrack.{name}" for name in GROUPS):
        assert sorted(map(tuple, entry_points(group))) == _reference(group)
    assert EntryPoint("own", "my_package.inner:Own", "disttrack.protocols", "My.Package") in entry_points(
        "disttrack.protocols"
    )
    assert len(entry_points("disttrack.protocols")) >= 13
    assert not entry_points("console_scripts")


def test_versions_are_those_of_importlib(places: Path) -> None:
    _write(places / "my_package-1.dist-info", "")
    for name in ("My-Package", "disttrack", "numpy", "PyYAML", "dp-accounting", "matplotlib"):
        assert version_of(name) == metadata.version(name)
    assert version_of("not-there") == ""


def test_it_loads_an_object_or_a_module() -> None:
    assert EntryPoint("a", "pathlib:Path.cwd", "disttrack.names").load() == Path.cwd
    assert EntryPoint("b", "email.message", "disttrack.scenarios").load() is sys.modules["email.message"]
    with pytest.raises(AttributeError, match="nothing"):
        EntryPoint("c", "pathlib:nothing", "disttrack.names").load()
