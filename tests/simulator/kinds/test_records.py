"""The record of a kind: what its class states agrees with its registration, and what it names is there.

In the core alone these are the kinds of the core.
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING

import pytest

from disttrack.lazy import homes_of
from disttrack.mechanisms.faults import FaultyPart
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.facts import first_line
from disttrack.simulator.kinds.faults import faults_of
from disttrack.simulator.kinds.installed import BUILT_IN
from disttrack.simulator.kinds.point import made_from
from disttrack.simulator.kinds.registry import FAMILIES, ROLES, Kind, game_of, kinds, kinds_for, parameters
from disttrack.simulator.kinds.yaml_values import read_yaml
from disttrack.simulator.workshop.conformance.packages import USUAL

REGISTERED = [kind for family in FAMILIES for kind in kinds(family).values() if kind.origin == BUILT_IN]
SIDES = [kind for kind in REGISTERED if kind.family in ROLES]


def name_of(kind: Kind) -> str:
    return f"{kind.family} {kind.name}"


@pytest.mark.parametrize("kind", REGISTERED, ids=name_of)
def test_its_class_has_its_name_and_a_line_of_documentation(kind: Kind) -> None:
    maker = kind.load()
    assert maker.kind == kind.name
    assert vars(maker).get("__doc__"), "not that of its base class"
    assert first_line(maker).endswith(".")


def test_whole_parameters_may_be_written_with_an_exponent() -> None:
    """Seen: `limit: 2e1` was refused as 20.0, no whole number, though numbers may be written 1e9."""
    alike = refused = 0
    for kind in SIDES:
        for name in parameters(kind.load()):
            made = [_made(kind, name, text) for text in ("1e1", "10")]
            assert made[0] == made[1], (kind.name, name)
            alike += "refused" not in made[0]
            refused += "refused" in made[0]
    assert alike > 60, (alike, refused)


def _made(kind: Kind, name: str, text: str) -> str:
    needed = {key: USUAL[key] for key, value in parameters(kind.load()).items() if value is MISSING and key in USUAL}
    quota = {"limit": 100, "window": 5} if {"limit", "window"} <= {*parameters(kind.load())} else {}
    entry = {"kind": kind.name, **needed, **quota, name: read_yaml(text)[0]}
    try:
        return repr(made_from(kind.family, entry).as_mapping())
    except ScenarioError as error:
        return f"refused: {error}"


@pytest.mark.parametrize("kind", SIDES, ids=name_of)
def test_its_heading_is_that_of_the_game_that_it_plays(kind: Kind) -> None:
    game = game_of(kind.load())
    assert kind.group
    assert not game or kind.group == kinds("task")[game].group


def test_a_game_whose_kinds_have_its_heading_takes_no_others() -> None:
    tasks = [kind.load() for kind in kinds("task").values()]
    headed = [task for task in tasks if task.headed]
    assert 5 < len(headed) < len(tasks)
    for task in headed:
        every = kinds_for("protocol", task.bases["protocol"])
        assert task.kinds("protocol") == {name: kind for name, kind in every.items() if task.meant_for(kind.load())}


@pytest.mark.parametrize("kind", [one for one in SIDES if one.family == "protocol"], ids=name_of)
def test_its_faults_are_mixins_that_say_what_they_break(kind: Kind) -> None:
    for part in faults_of(kind.load()).values():
        assert issubclass(part, FaultyPart)
        assert (inspect.getdoc(part) or "").endswith(".")


def test_a_name_below_a_heading_is_a_kind_and_the_others_are_none() -> None:
    registered = {kind.reference for kind in REGISTERED}
    for package in ("disttrack.protocols", "disttrack.adversaries", "disttrack.mechanisms"):
        homes = homes_of(package)
        assert len(homes) >= 20
        for name, home in homes.items():
            assert (f"{home.module}:{name}" in registered) == (home.heading != ""), name
