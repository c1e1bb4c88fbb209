"""``disttrack list`` and ``disttrack describe``: every kind, in its class's own words."""

from __future__ import annotations

import re
from pathlib import Path

import own_kinds
import pytest
from commands import disttrack, refused

from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.registry import kinds


def test_list_and_describe_use_the_classes_words() -> None:
    from disttrack.protocols import Robust

    for sort, names in {
        "protocols": ("robust", "martingale", "countdown"),
        "adversaries": ("freeze", "round-robin", "zipf-items"),
        "mechanisms": ("binary", "hybrid", "above-threshold"),
        "scenarios": ("headline", "flights"),
    }.items():
        shown = disttrack("list", sort).stdout
        assert not [name for name in names if f"\n{name} " not in shown]
        assert sort == "protocols" or "\nrobust " not in shown
    shown = disttrack("describe", "robust").stdout
    assert Robust.source in shown
    assert "delta (default 0.05): Probability" in shown
    assert "words" in shown
    assert "programs, in any language" in disttrack("describe", "exec").stdout
    shown = disttrack("describe", "headline").stdout
    assert "\nclaims:\n  deterministic is never wrong: fraction(ok) >= 1 where" in shown


def test_the_first_screen_names_each_game_and_what_plays_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal and in a pipe: 45 lines of 80 columns; a wider one names more."""
    shown = disttrack("list").stdout
    lines = shown.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("Tracking (count, generalisation")
    assert lines[2] == "    deterministic, exact, block, deterministic-rounds, difference-estimators,"
    games = " ".join(shown.split())
    assert "against bounded-memory, coin, drain, feedback, freeze" in games
    assert re.search(r"Items with content \(item-frequency, .*\): frequency-det.* against blind-splits", games)
    assert all(re.search(rf"[(,] ?{task}[,)]", games) for task in kinds("task"))
    monkeypatch.setattr("disttrack.simulator.cli.catalogue.terminal_width", lambda *, err=False: 5000)
    whole = disttrack("list").stdout
    names = [name for family in ("protocol", "adversary") for name in kinds(family)]
    assert len(names) >= 60
    assert [name for name in names if not re.search(rf"(?m)[ ,]{name}(,|$)", whole)] == []


def test_the_kinds_of_one_game_are_listed() -> None:
    shown = disttrack("list", "item-rank").stdout
    names = re.findall(r"^(?!kind |Task )([\w-]+) ", shown, flags=re.MULTILINE)
    task = kinds("task")["item-rank"].load()
    plays = [name for name, kind in task.kinds("adversary").items() if kind.load().plays_in("item-rank")]
    assert names == [*task.kinds("protocol"), *plays]
    assert {"rank-deterministic", "rank-randomized", "rank-drift"} <= set(names)
    assert not {"heavy-hitters", "deterministic", "freeze"} & set(names)


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
    Path("mine.py").write_text("from disttrack.adversaries import Freeze\n\nclass Mine(Freeze):\n    pass\n")
    assert "source:        of its base Freeze: " in disttrack("describe", "mine.py:Mine").stdout
    bound = "    def cost_bound(self, k, items, start=0):\n        return 5.0\n"
    Path("dear.py").write_text(f"from disttrack import Deterministic\n\nclass Dear(Deterministic):\n{bound}")
    assert "cost: by cost_bound, undocumented\n  16 sites" in disttrack("describe", "dear.py:Dear").stdout
    assert "did you mean 'Dice'" in refused("describe", "dice.py:Dise")
    assert "there is no file gone.py" in refused("describe", "gone.py:Dice")
    Path("latin.py").write_bytes(b"# caf\xe9")
    assert "latin.py:1: must be saved as UTF-8" in refused("describe", "latin.py:Dice")


@pytest.mark.slow
def test_every_kind_can_be_described() -> None:
    from disttrack.simulator.kinds.registry import FAMILIES, game_of, kinds

    every = [kind for family in FAMILIES for kind in kinds(family).values()]
    names = [(family, kind) for family in FAMILIES for kind in kinds(family).values()]
    assert len(names) >= 60
    for family, kind in names:
        name, several = kind.name, sum(one.name == kind.name and one.family == family for one in every) > 1
        result = disttrack("describe", game_of(kind.load()) if several else family, name)
        assert result.exit_code == 0, name
        assert result.stdout.startswith(f"{name} (")


def test_shipped_scenarios_ask_their_question_before_their_claims() -> None:
    """The list of scenarios reads the files up to the claims, for a tenth of its time."""
    paths = shipped_scenarios()
    assert len(paths) >= 20
    for name, path in paths.items():
        before, _, after = path.read_text(encoding="utf-8").partition("\nclaims:")
        assert "\nquestion:" in before, name
        assert not re.search(r"^(task|question):", after, re.MULTILINE), name


def test_tasks_and_plots_are_listed_and_described() -> None:
    shown = disttrack("list", "tasks").stdout
    assert re.search(r"\nthreshold +sites, threshold", shown)
    assert re.search(r"\ncount +sites, items, start", shown)
    shown = disttrack("list", "plots").stdout
    assert "\ncost       x, band=, y=words" in shown
    shown = disttrack("describe", "task", "threshold").stdout
    assert "  threshold (at least 1, must be given, column items): " in shown
    assert "columns:       " in shown
    shown = disttrack("describe", "measure").stdout
    assert "  y (must be given): The column of trials.csv.\n" in shown
    assert "  where (default ''): Which games, as a condition" in shown


def test_a_file_is_not_described_but_checked(folder: Path) -> None:
    Path("mine.yaml").write_text("name: mine\n")
    assert disttrack("describe", "mine.yaml").stderr == "mine.yaml is a file: disttrack check mine.yaml\n"
