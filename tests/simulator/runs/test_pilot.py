"""Times told by short games: the power law, and what of a scenario it is measured on."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import ScenarioError
from simulator.points.point import Point
from simulator.runs import estimate, pilot
from simulator.runs.pilot import BEGIN, GUARD, kind_of, paces
from simulator.scenario.document import parse
from simulator.scenario.load import Scenario, build
from simulator.tasks.base import Record
from simulator.tasks.tracking import FEW_SITES, Count


def _scenario(**changes: object) -> Scenario:
    keys: dict[str, object] = {
        "sites": 1024, "items": 10**9, "protocol": "{kind: deterministic, alpha: 0.01}", "adversary": "round-robin",
        **changes,
    }  # fmt: skip
    text = "name: s\n" + "".join(f"{key}: {value}\n" for key, value in keys.items())
    return build(parse(text, "s.yaml", Path.cwd()))


class _Clock:
    """A clock that stands still but while games are played, which take what a rule says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rule: str = "sites") -> None:
        self.now = 0.0
        self.played: list[Point] = []

        def play(_: Count, point: Point, seed: int) -> Record:
            self.played.append(point)
            self.now += {"sites": (point.sites or 0) * 1e-4, "half": (point.sites or 0) ** 0.5 * 1e-3}[rule]
            return Record(row={})

        monkeypatch.setattr(Count, "play", play)

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("rule", "seconds"), [("sites", 0.1024), ("half", 0.032)])
def test_a_long_game_is_told_by_how_short_ones_grow(rule: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told is a hundred times too much; the games take time by their sites, or by the square root of these."""
    (point,) = _scenario(sites=1024).points
    clock = _Clock(monkeypatch, rule)
    monkeypatch.setattr(pilot, "POWERS", (0.1, 2.0))

    def told(one: Point) -> float:
        return 0.01 * (one.sites or 0)

    pace = paces([point], told, clock)[kind_of(point)]
    assert all(told(one) <= GUARD for one in clock.played)
    assert all((one.sites or 0) >= FEW_SITES for one in clock.played)
    assert len({one.sites for one in clock.played}) > 1
    assert pace.seconds(told(point)) == pytest.approx(seconds, rel=1e-6)


def test_a_game_that_is_short_is_played_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    (point,) = _scenario(sites=4, items=10).points
    clock = _Clock(monkeypatch)
    pace = paces([point], lambda _: BEGIN, clock)[kind_of(point)]
    assert (pace.told, pace.took, pace.first) == (BEGIN, pytest.approx(4e-4), pytest.approx(0, abs=1e-12))
    assert set(map(id, clock.played)) == {id(point)}


def test_kinds_that_were_not_tried_are_told_by_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from protocols import Exact\nclass Mine(Exact):\n    kind = 'mine'\n")
    protocols = f"[{{kind: deterministic, alpha: 0.1}}, {{kind: '{tmp_path}/mine.py:Mine'}}]"
    points = _scenario(sites=16, items=100, protocol=protocols).points
    clock = _Clock(monkeypatch)
    found = paces(points, lambda _: BEGIN, clock)
    assert {one.protocol.label for one in clock.played} == {"deterministic"}  # nobody knows what mine does
    ratios = [found[kind_of(point)].seconds(1.0) for point in points]
    assert ratios[0] == pytest.approx(ratios[1])


def test_what_only_the_first_game_computes_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (point,) = _scenario(sites=4, items=10).points
    clock = _Clock(monkeypatch)
    play = Count.play

    def slow_at_first(task: Count, one: Point, seed: int) -> Record:
        clock.now += 0.3 if not clock.played else 0.0
        return play(task, one, seed)

    monkeypatch.setattr(Count, "play", slow_at_first)
    pace = paces([point], lambda _: BEGIN, clock)[kind_of(point)]
    assert pace.first == pytest.approx(0.3)
    assert pace.seconds(BEGIN) == pytest.approx(4e-4)


@pytest.mark.parametrize(
    ("changes", "each"),
    [
        ({}, False),
        ({"adversary": "freeze"}, False),
        ({"adversary": "bursts"}, False),
        ({"adversary": "uniform"}, True),
        ({"adversary": "zipf"}, True),
        ({"engine": "step"}, True),
    ],
)
def test_items_that_are_looked_at_one_by_one_are_counted(changes: dict[str, object], each: bool) -> None:
    scenario = _scenario(**changes)
    assert scenario.task.items_looked_at(scenario.points[0]) == (10**9 if each else 0)


def test_a_game_that_looks_at_each_item_is_told_by_its_items() -> None:
    """A billion labels take seconds and a quadrillion months, whatever is sent; once both were told 0.00 s."""
    few, many = (estimate.estimate(_scenario(items=items, adversary="uniform"), 1).seconds for items in (10**9, 10**15))
    closed = estimate.estimate(_scenario(items=10**15), 1).seconds
    assert few > 1
    assert many > 10**5 * few
    assert closed < few


def test_games_that_wait_need_memory() -> None:
    one, many = (estimate.memory_needed(_scenario(trials=trials), 1)[0] for trials in (1, 10**7))
    assert many - one > 3e9


def test_a_run_of_months_asks_before_it_begins() -> None:
    with pytest.raises(ScenarioError, match=r"hours with 1 workers, more than 24; .* --yes"):
        estimate.refuse_too_long(_scenario(items=10**15, adversary="uniform"), 1, 24)
    assert "hours with 1 workers;" in estimate.refuse_too_long(
        _scenario(items=10**15, adversary="uniform"), 1, float("inf")
    )
    assert estimate.refuse_too_long(_scenario(), 1, 24) == ""


def test_more_items_than_schedules_can_count_are_refused_by_check() -> None:
    with pytest.raises(ScenarioError, match=r"items: items and start together must be at most 2\^61"):
        _scenario(items=2**62)
    with pytest.raises(ScenarioError, match="together must be at most"):
        _scenario(items=2**61, start=1)
    assert _scenario(items=2**61).points[0].items == 2**61
