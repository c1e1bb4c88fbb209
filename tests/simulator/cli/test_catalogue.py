"""``disttrack list`` and ``disttrack describe``: every kind, in its class's own words."""

from __future__ import annotations

import re
from pathlib import Path

import own_kinds
import pytest
from commands import disttrack, refused

from disttrack.simulator.points.registry import kinds
from disttrack.simulator.scenario.shipped import shipped_scenarios


def test_list_and_describe_use_the_classes_words() -> None:
    from disttrack.protocols import Robust

    shown = disttrack("list").stdout
    for name in ("robust", "martingale", "freeze", "round-robin", "headline", "binary"):
        assert f"\n{name} " in shown
    shown = disttrack("describe", "robust").stdout
    assert Robust.source in shown
    assert "delta (default 0.05): Probability" in shown
    assert "messages" in shown
    assert "programs, in any language" in disttrack("describe", "exec").stdout
    shown = disttrack("describe", "headline").stdout
    assert "\nclaims:\n  deterministic is never wrong: fraction(ok) >= 1 where" in shown


def test_kinds_are_listed_by_the_game_that_they_play() -> None:
    shown = disttrack("list").stdout
    games = re.split(r"\n(?=[A-Z][a-z -]+ \(task )", shown)
    assert games[0].startswith("Tracking (task count, generalisation, audit-tracker): protocols\n")
    for game, sides in (
        ("Tracking", {"protocols": ("robust",), "adversaries": ("freeze", "trial")}),
        ("Private counters", {"protocols": ("binary",), "adversaries": ("intruder",)}),
        ("Data that changes", {"protocols": ("fully-dynamic",), "adversaries": ("churn", "in-the-air")}),
        ("Sketches under attack", {"protocols": ("ams",), "adversaries": ("ams-attack",)}),
        ("Online prediction", {"protocols": ("point-predictor",), "adversaries": ("contrary",)}),
    ):
        for side, names in sides.items():
            (table,) = [one for one in games if one.startswith(game) and f"): {side}\n" in one]
            assert not [name for name in names if f"\n{name} " not in table]
    assert re.search(r"\nfreeze +adaptive ", games[1])
    assert re.search(r"\nwhite-box +white-box ", games[1])
    assert re.search(r"\nrobust +adaptive ", games[0])
    names = re.findall(r"^([\w-]+)", shown.split("\nScenarios\n")[1], flags=re.MULTILINE)
    assert names.index("headline") < names.index("arms-race") < names.index("faults") < names.index("power")


def test_a_name_that_means_two_things_asks_which() -> None:
    said = refused("describe", "experts")
    assert "experts means 2 things: disttrack describe task experts or disttrack describe scenario experts" in said
    assert disttrack("describe", "scenario", "experts").stdout.startswith("experts (scenario,")
    assert "takes a name, or a sort and a name" in refused("describe", "scenarios", "experts")
    assert "there is no plot experts" in refused("describe", "plot", "experts")


def test_the_kinds_of_one_game_are_listed() -> None:
    shown = disttrack("list", "distinct-count").stdout
    names = re.findall(r"^(?!kind |Task )([\w-]+) ", shown, flags=re.MULTILINE)
    task = kinds("task")["distinct-count"].load()
    plays = [name for name, kind in task.kinds("adversary").items() if kind.load().plays_in("distinct-count")]
    assert names == [*task.kinds("protocol"), *plays]
    assert {"kmv", "hyperloglog", "quiet-items", "fresh-items"} <= set(names)
    assert not {"ams", "count-min", "random-items", "freeze"} & set(names)
    assert "'dominoes' is not one of" in refused("list", "dominoes")


def test_a_sort_may_be_given_where_a_name_means_one_thing() -> None:
    assert disttrack("describe", "protocol", "square-root").stdout.startswith("square-root (protocol, ")
    assert refused("describe", "task", "square-root").startswith("there is no task square-root")


def test_describe_states_the_error_of_a_mechanism() -> None:
    from disttrack.mechanisms import MECHANISMS, SquareRoot

    assert len(MECHANISMS) >= 20
    for kind, maker in MECHANISMS.items():
        assert maker.error, kind
        assert f"\nerror:         {maker.error}\n" in disttrack("describe", "protocol", kind).stdout
    shown = disttrack("describe", "square-root").stdout
    assert f"\nmemory:        {SquareRoot.memory}\n" in shown
    assert "\nprivacy:       approximate\n" in shown
    assert "\nerror:" not in disttrack("describe", "robust").stdout


def test_tasks_and_plots_are_listed_and_described() -> None:
    shown = disttrack("list", "tasks").stdout
    assert re.search(r"\nexperts +experts, steps", shown)
    assert re.search(r"\ncount +sites, items, start", shown)
    shown = disttrack("list", "plots").stdout
    assert "\ncost       x, y=words" in shown
    shown = disttrack("describe", "task", "experts").stdout
    assert "  experts (at least 2, must be given, column sites): Experts whose advice is combined.\n" in shown
    assert "columns:       regret, plain_regret" in shown
    shown = disttrack("describe", "measure").stdout
    assert "  y (must be given): The column of trials.csv, or error/alpha, estimate/truth" in shown
    assert "  where (default ''): Which games, as a condition" in shown


def test_classes_of_ones_own_are_described_by_reference() -> None:
    Path("dice.py").write_text(own_kinds.DICE)
    Path("spread.py").write_text(own_kinds.SPREAD)
    Path("turn.py").write_text("def turn(view):\n    return view.steps % view.sites\n")
    shown = disttrack("describe", "dice.py:Dice").stdout
    assert shown.startswith("dice.py:Dice (task, your own, class Dice)\n  A die is thrown so often")
    assert "throws (at least 1, must be given, column items)" in shown
    assert disttrack("describe", "spread.py:Spread").stdout.startswith(
        "spread.py:Spread (plot, your own, class Spread)"
    )
    assert disttrack("describe", "turn.py:turn").stdout.startswith("turn.py:turn (adversary, your own, function turn)")
    assert disttrack("describe", "disttrack.protocols:Robust").stdout.startswith(
        "disttrack.protocols:Robust (protocol, your own"
    )
    assert disttrack("describe", "disttrack.mechanisms:Binary").stdout.startswith(
        "disttrack.mechanisms:Binary (protocol, your own"
    )
    assert "did you mean 'Dice'" in refused("describe", "dice.py:Dise")
    assert "there is no file gone.py" in refused("describe", "gone.py:Dice")


def test_a_task_of_ones_own_is_checked_and_run() -> None:
    Path("dice.py").write_text(own_kinds.DICE)
    Path("dice.yaml").write_text(own_kinds.DICE_SCENARIO)
    assert "games:         12 (4 points, 3 trials each)" in disttrack("check", "dice.yaml").stdout
    result = disttrack("run", "dice.yaml", "--workers", "1", "--no-figures")
    assert result.exit_code == 0, result.output
    assert "faces  throws    held  total" in result.stdout  # sizes by the names of the task, then its own columns
    assert "did you mean 'faces'" in refused("check", "dice.yaml", "--set", "fcaes=3")


@pytest.mark.slow
def test_every_kind_can_be_described() -> None:
    from disttrack.simulator.points.registry import FAMILIES, game_of, kinds

    every = [kind for family in FAMILIES for kind in kinds(family).values()]
    names = [(family, kind) for family in FAMILIES for kind in kinds(family).values()]
    assert len(names) >= 60
    for family, kind in names:
        name, several = kind.name, sum(one.name == kind.name and one.family == family for one in every) > 1
        result = disttrack("describe", game_of(kind.load()) if several else family, name)
        assert result.exit_code == 0, name
        assert result.stdout.startswith(f"{name} (")


def test_the_list_fits_80_columns_with_what_each_kind_promises_or_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from disttrack.simulator.cli import tables
    from disttrack.simulator.cli.catalogue import list_

    monkeypatch.setattr(tables, "terminal_width", lambda *, err=False: 80)
    shown = CliRunner().invoke(list_).output
    assert max(map(len, shown.splitlines())) <= 80
    for line in (r"robust +adaptive +\w", r"freeze +adaptive +\w", r"white-box +white-box +\w", r"uniform +oblivious "):
        assert re.search(rf"(?m)^{line}", shown), line
    assert "property object" not in shown


def test_scenarios_of_theory_are_listed_game_by_game() -> None:
    shown = disttrack("list", "scenarios").stdout
    order = [shown.index(f"\n{name} ") for name in (
        "headline", "attack", "arms-race", "accuracy", "scale", "baselines", "faults", "power", "counters", "monitor",
        "dynamic", "ams", "overfitting", "mirror", "audit",
    )]  # fmt: skip
    assert order == sorted(order)


def test_shipped_scenarios_ask_their_question_before_their_claims() -> None:
    """The list of scenarios reads the files up to the claims, for a tenth of its time."""
    paths = shipped_scenarios()
    assert len(paths) > 40
    for name, path in paths.items():
        before, _, after = path.read_text(encoding="utf-8").partition("\nclaims:")
        assert "\nquestion:" in before, name
        assert not re.search(r"^(task|question):", after, re.MULTILINE), name
