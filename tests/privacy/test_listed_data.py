"""`list` and `describe` show the kinds of this wing under the games that play them."""

from __future__ import annotations

import re

import pytest
from commands import disttrack, refused
from core_kinds import kinds_of

from disttrack.privacy.mechanisms import MECHANISMS
from disttrack.simulator.kinds.registry import kinds


def test_the_kinds_of_the_wing_are_listed() -> None:
    for sort, names in {"adversaries": ("churn", "contrary"), "mechanisms": ("ams", "holdout")}.items():
        shown = disttrack("list", sort).stdout
        assert not [name for name in names if f"\n{name} " not in shown]
    games = " ".join(disttrack("list").stdout.split())
    assert "Tracking (count, generalisation, audit-tracker):" in games
    assert re.search(
        r"Online prediction \(prediction, mirror, joint-privacy\): .*experts-private.* against contrary", games
    )


def test_a_name_of_a_task_and_a_scenario_asks_which() -> None:
    said = refused("describe", "experts")
    assert "experts means 2 things: disttrack describe task experts or disttrack describe scenario experts" in said


def test_the_kinds_of_a_game_of_data_are_listed() -> None:
    shown = disttrack("list", "distinct-count").stdout
    names = re.findall(r"^(?!kind |Task )([\w-]+) ", shown, flags=re.MULTILINE)
    task = kinds("task")["distinct-count"].load()
    plays = [name for name, kind in task.kinds("adversary").items() if kind.load().plays_in("distinct-count")]
    assert names == [*task.kinds("protocol"), *plays]
    assert {"kmv", "hyperloglog", "quiet-items", "fresh-items"} <= set(names)
    assert not {"ams", "count-min", "random-items", "freeze"} & set(names)


def test_a_task_is_described() -> None:
    shown = disttrack("describe", "task", "experts").stdout
    assert "  experts (at least 2, must be given, column sites): Experts whose advice is combined.\n" in shown
    assert "columns:       regret, plain_regret" in shown


def test_each_mechanism_states_its_error() -> None:
    assert len(MECHANISMS) >= 50
    assert all(maker.error for maker in MECHANISMS.values())


@pytest.mark.parametrize(("family", "least"), [("protocol", 50), ("adversary", 30), ("task", 19)])
def test_there_are_as_many_kinds_as_were_counted(family: str, least: int) -> None:
    assert len(kinds_of(family, "privacy")) >= least  # type: ignore[arg-type]


def test_its_scenarios_are_listed_game_by_game() -> None:
    shown = disttrack("list", "scenarios").stdout
    names = ("counters", "monitor", "dynamic", "ams", "overfitting", "mirror", "audit")
    order = [shown.index(f"\n{name} ") for name in names]
    assert order == sorted(order)
