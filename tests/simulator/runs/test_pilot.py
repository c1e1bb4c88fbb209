"""Times told by short games: the power law, and what of a scenario it is measured on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from simulator.errors import ScenarioError
from simulator.points.point import Point
from simulator.runs import estimate, pilot
from simulator.runs.growth import Growth
from simulator.runs.pilot import BEGIN, GUARD, VARIANTS, kind_of, paces, variants_of
from simulator.scenario.document import parse
from simulator.scenario.load import Scenario, build, load, shipped_scenarios
from simulator.tasks.base import Record
from simulator.tasks.tracking import FEW_SITES, Count, prepare


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
            sites = point.sites or 0
            self.now += {"sites": sites * 1e-4, "power": sites**0.9 * 2e-4, "fixed": 0.12 + sites * 1e-4}[rule]
            return Record(row={})

        monkeypatch.setattr(Count, "play", play)

    def __call__(self) -> float:
        return self.now


def _grown(points: Sequence[Point], told: Callable[[Point], float], clock: _Clock) -> list[Growth]:
    """Return the growth of each of these points."""
    return [growth for _, growth in paces(points, told, clock)]


@pytest.mark.parametrize(("rule", "seconds"), [("sites", 6.5536), ("power", 65536**0.9 * 2e-4)])
def test_a_long_game_is_told_by_how_short_ones_grow(rule: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told is a hundred times too much; the games take time by their sites, or by a power of these."""
    (point,) = _scenario(sites=65536).points
    clock = _Clock(monkeypatch, rule)

    def told(one: Point) -> float:
        return 0.01 * (one.sites or 0)

    (growth,) = _grown([point], told, clock)
    assert all((one.sites or 0) >= FEW_SITES for one in clock.played)
    assert len({one.sites for one in clock.played}) > 1
    assert growth.seen[-1][0] >= 10 * growth.seen[0][0]
    assert growth.seconds(told(point)) == pytest.approx(seconds, rel=1e-6)


def test_what_does_not_grow_is_not_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of a second that every game takes: the smallest one alone would tell 17 times too much."""
    (point,) = _scenario(sites=1024).points
    clock = _Clock(monkeypatch, "fixed")

    def told(one: Point) -> float:
        return 1e-4 * (one.sites or 0)

    (growth,) = _grown([point], told, clock)
    assert growth.seconds(told(point)) == pytest.approx(0.12 + 0.1024, rel=0.05)
    control = Growth(growth.seen[:1])
    assert control.seconds(told(point)) > 15 * (0.12 + 0.1024)


def test_a_game_that_is_told_to_be_long_is_played_if_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds are far too high for some: what shorter games took says what a longer one will, not what is told."""
    (point,) = _scenario(sites=1024).points
    clock = _Clock(monkeypatch)

    def told(one: Point) -> float:
        return 0.01 * (one.sites or 0)

    assert told(point) > 10 * GUARD
    paces([point], told, clock)
    assert max(one.sites or 0 for one in clock.played) == 1024


def test_a_game_that_is_short_is_played_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    (point,) = _scenario(sites=4, items=10).points
    clock = _Clock(monkeypatch)
    (growth,) = _grown([point], lambda _: BEGIN, clock)
    assert growth.seen == ((BEGIN, pytest.approx(4e-4)),)
    assert growth.first == pytest.approx(0, abs=1e-12)
    assert set(map(id, clock.played)) == {id(point)}


def test_each_variant_is_told_by_games_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parameter that no bound knows of costs a hundred times as much: once both were told by the same short game."""
    points = _scenario(sites=16, items=100, protocol="{kind: deterministic, alpha: [0.1, 0.2]}").points
    clock = _Clock(monkeypatch)
    play = Count.play

    def dear(task: Count, one: Point, seed: int) -> Record:
        clock.now += 0.16 if one.protocol.arguments["alpha"] == 0.2 else 0.0
        return play(task, one, seed)

    monkeypatch.setattr(Count, "play", dear)
    cheap, costly = _grown(points, lambda _: BEGIN, clock)
    assert kind_of(points[0]) == kind_of(points[1])
    assert cheap.seconds(BEGIN) == pytest.approx(0.0016)
    assert costly.seconds(BEGIN) == pytest.approx(0.1616)


def test_all_variants_together_have_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand variants some hundred are tried, the others told by the mean of those."""
    alphas = [0.1 + place / 10_000 for place in range(1000)]
    points = _scenario(sites=40, items=100, protocol=f"{{kind: deterministic, alpha: {alphas}}}").points
    clock = _Clock(monkeypatch)
    found = _grown(points, lambda _: BEGIN, clock)
    assert clock.now < VARIANTS + 0.1
    assert 100 < len({one.number for one in clock.played}) < 900
    assert all(growth.seconds(BEGIN) == pytest.approx(0.004) for growth in found)


def test_a_kind_that_takes_too_long_leaves_the_others_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    points = _scenario(protocol="[{kind: randomized, alpha: 0.1}, {kind: deterministic, alpha: 0.1}]").points
    clock = _Clock(monkeypatch)
    play = Count.play

    def slow(task: Count, one: Point, seed: int) -> Record:
        clock.now += 2.5 if one.protocol.label == "randomized" else 0.0
        return play(task, one, seed)

    monkeypatch.setattr(Count, "play", slow)
    found = _grown(points, lambda one: 1e-4 * (one.sites or 0), clock)
    assert [one.protocol.label for one in points] == ["randomized", "deterministic"]
    assert len(found[0].seen) == 1
    assert found[1].seen[-1][0] >= 10 * found[1].seen[0][0]


def test_kinds_that_were_not_tried_are_told_by_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from protocols import Exact\nclass Mine(Exact):\n    kind = 'mine'\n")
    protocols = f"[{{kind: deterministic, alpha: 0.1}}, {{kind: '{tmp_path}/mine.py:Mine'}}]"
    points = _scenario(sites=16, items=100, protocol=protocols).points
    clock = _Clock(monkeypatch)
    found = _grown(points, lambda _: BEGIN, clock)
    assert {one.protocol.label for one in clock.played} == {"deterministic"}  # nobody knows what mine does
    ratios = [growth.seconds(1.0) for growth in found]
    assert ratios[0] == pytest.approx(ratios[1])


def test_what_only_the_first_game_computes_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (point,) = _scenario(sites=4, items=10).points
    clock = _Clock(monkeypatch)
    play = Count.play

    def slow_at_first(task: Count, one: Point, seed: int) -> Record:
        clock.now += 0.3 if not clock.played else 0.0
        return play(task, one, seed)

    monkeypatch.setattr(Count, "play", slow_at_first)
    (growth,) = _grown([point], lambda _: BEGIN, clock)
    assert growth.first == pytest.approx(0.3)
    assert growth.seconds(BEGIN) == pytest.approx(4e-4)


def test_each_worker_computes_what_first_games_need() -> None:
    told = [estimate.Told(("a",), 2.0, 0.1), estimate.Told(("a",), 2.0, 0.2), estimate.Told(("b",), 1.0, 0.3)]
    games = 10 * (0.1 + 0.2) + 0.3
    assert estimate.together(told, [10, 10, 1]) == pytest.approx(games + 2 + 1)
    assert estimate.together(told, [10, 10, 1], workers=4) == pytest.approx(games + 4 * 2 + 1)


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


def test_a_game_that_looks_at_each_item_is_told_by_its_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """A billion labels take seconds and a quadrillion months, whatever is sent; once both were told 0.00 s."""
    monkeypatch.setattr(pilot, "KINDS", 0.05)
    few, many = (estimate.estimate(_scenario(items=items, adversary="uniform"), 1).seconds for items in (10**9, 10**15))
    closed = estimate.estimate(_scenario(items=10**15), 1).seconds
    assert few > 1
    assert many > 10**5 * few
    assert closed < few


def test_games_that_wait_need_memory() -> None:
    one, many = (estimate.memory_needed(_scenario(trials=trials), 1)[0] for trials in (1, 10**7))
    assert many - one > 3e9


def test_a_run_of_months_asks_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pilot, "KINDS", 0.05)
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


@pytest.mark.slow
def test_games_of_a_trace_keep_its_sites() -> None:
    """They cannot be played with fewer; once `check` ended with an error of a game that nobody had asked for."""
    scenario = load("flights")
    assert len(set(variants_of(scenario.points))) > 1
    for point in scenario.points:
        assert prepare(Count().smaller(point, 2**62))["sites"] == prepare(point)["sites"]


@pytest.mark.slow
def test_every_shipped_scenario_has_games_that_can_be_made_short() -> None:
    for name in shipped_scenarios():
        scenario = load(name)
        points = [point for point, _ in estimate.asked(scenario)]
        for kind, point in {kind_of(one): one for one in points}.items():
            for shrink in (2**62, 64, 1):
                smaller = point.task.make().smaller(point, shrink)
                assert kind_of(smaller) == kind, (name, kind)
