"""What other packages register beside kinds: commands, names of the public face, scenarios, labels."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import ClassVar, Final

import click
import pytest
from commands import disttrack, refused

import disttrack as face
from disttrack.simulator import cli
from disttrack.simulator.experiments.scenario import shipped
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds import installed


@click.command()
def greet() -> None:
    """Say hello."""
    click.echo("hello")


THEIRS: Final = {
    "greet": (f"{__name__}:greet", "Say hello."),
    "run": ("nowhere:run", "A name that is taken."),
    "absent": ("not_there:at_all", "Needs more.", "theirs[more]"),
}


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """Return a list of entry points, which are registered alone."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(installed, "entry_points", lambda group: [one for one in points if one.group == group])
    cli.commands.cache_clear()
    yield points
    monkeypatch.undo()
    cli.commands.cache_clear()


def test_a_command_of_theirs(registered: list[EntryPoint]) -> None:
    registered.append(EntryPoint("theirs", f"{__name__}:THEIRS", "disttrack.commands"))
    assert disttrack("greet").stdout == "hello\n"
    shown = disttrack("--help").stdout
    assert "greet" in shown
    assert "A name that is taken" not in shown
    assert "absent needs not_there, which is not installed: pip install 'theirs[more]'" in refused("absent")


def test_one_that_cannot_be_loaded_is_named_in_one_line(registered: list[EntryPoint]) -> None:
    registered.append(EntryPoint("theirs", "not_there:COMMANDS", "disttrack.commands"))
    assert disttrack("list", "--help").exit_code == 0, "commands of the core do not need it"
    assert "entry point theirs of disttrack.commands: ModuleNotFoundError" in refused("--help")


@pytest.mark.parametrize("group", ["protocols", "adversaries", "names"])
def test_a_class_of_theirs_is_a_public_name(registered: list[EntryPoint], group: str) -> None:
    registered.append(EntryPoint("labelled", f"{__name__}:Labelled", f"disttrack.{group}"))
    assert "Labelled" in face.__all__
    assert face.Labelled.__name__ == "Labelled"
    del vars(face)["Labelled"]
    registered.clear()
    with pytest.raises(AttributeError, match="no attribute 'Labelled'"):
        face.Labelled  # noqa: B018


def test_scenarios_of_theirs(registered: list[EntryPoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "their_scenarios_of_a_test"
    folder.mkdir()
    (folder / "theirs.yaml").write_text("name: theirs\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    registered.append(EntryPoint("theirs", folder.name, "disttrack.scenarios"))
    assert shipped.shipped_scenarios()["theirs"] == folder / "theirs.yaml"


class Labelled(Count):
    labels: ClassVar = {"pause": "longest pause"}


def test_labels_are_those_of_the_class_and_its_bases() -> None:
    assert Labelled.label("pause") == "longest pause"
    assert Labelled.label("rms_error") == Count.label("rms_error") == "root mean square error"
    assert Count.label("pause") == ""
    assert Labelled.label("sites", "axes") == "number of sites, k"
