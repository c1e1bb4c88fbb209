"""Games that the adversary ends before all items are sent: they say so, and no claim mixes their cost with others'."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import disttrack

from disttrack import Burst, Exact, Randomized, Rotation, play, run
from disttrack.simulator.experiments.claims.findings import UNDECIDED
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.pairs import pairs
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.requests import described_of


def two_bursts(view: Any) -> Any:
    """Feed two sites until the output moves, and then do nothing more."""
    for site in range(2):
        yield Burst(site)


@pytest.mark.parametrize("engine", ["step", "leap", "auto"])
@pytest.mark.parametrize("protocol", [Exact(), Randomized(alpha=0.1)], ids=lambda one: one.kind)
def test_a_generator_that_returns_ends_its_game_also_in_an_endless_burst(protocol: Any, engine: str) -> None:
    game = play(protocol, two_bursts, sites=3, items=200_000, engine=engine)
    assert (game.items, game.unsent, game.output_changes) == (2, 199_998, 2)
    assert "ended by the adversary after 2 of 200,000 items" in repr(game)
    plain = play(protocol, lambda view: 0, sites=3, items=20, engine="step")
    assert (plain.unsent, "ended" in repr(plain)) == (0, False)


def test_a_game_names_the_nearest_of_its_facts_and_all() -> None:
    game = play(Exact(), two_bursts, sites=3, items=20)
    with pytest.raises(AttributeError, match=r"exact has no .unset.; did you mean .unsent.\? \(accepted: .*words"):
        _ = game.unset
    assert not hasattr(game, "ended_early")


def test_a_game_without_a_step_decides_nothing() -> None:
    def at_once(view: Any) -> Any:
        if view.steps:
            yield Rotation(view.sites)

    game = play(Exact(), at_once, sites=3, items=200_000)
    assert (game.items, game.unsent, game.verdict) == (0, 200_000, "undecided")
    assert play(Exact(), at_once, sites=3, items=0).unsent == 0


def test_any_other_plan_is_played_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def once(view: Any) -> Any:
        yield Rotation(view.sites)

    assert play(Exact(), once, sites=3, items=50).unsent == 0
    monkeypatch.chdir(tmp_path)
    Path("short.py").write_text("from disttrack import Burst\ndef short(view):\n    yield Burst(0, 54)\n")
    shown = disttrack("play", "--protocol", "exact", "--adversary", "short.py:short", "--items", "200000")
    assert shown.exit_code == 0, shown.output
    assert "ended by the adversary after 54 of 200,000 items" in shown.output


def test_claims_about_cost_refuse_to_mix_them(folder: Path) -> None:
    Path("short.py").write_text("from disttrack import Burst\n\ndef short(view):\n    yield Burst(0, 5)\n")
    Path("short.yaml").write_text("""\
name: short
trials: 1
sites: 2
items: 30
protocol: exact
adversary: [round-robin, 'short.py:short']
claims:
  - {name: cheap, measure: max(words), at_most: 100}
  - {name: those of one length, measure: max(words), where: unsent == 0, at_most: 100}
  - {name: no cost, measure: max(max_rel_error), at_most: 0}
  - {name: all of one length, measure: max(words), where: adversary == 'short', at_most: 100}
  - {name: the same, measure: "max(words, where=(adversary == 'short'))", at_most: 100}
  - {name: without them, measure: 'max(words, where=(unsent == 0))', at_most: 100}
""")
    results = run("short.yaml", out="out", workers=1)
    assert results.trials["unsent"].tolist() == [0, 25]
    early = "games ended early: 1 of 1"
    assert [finding.note for finding in results.findings] == ["games ended early: 1 of 2", "", "", early, early, ""]
    assert [one.verdict for one in results.findings] == [UNDECIDED, "PASS", "PASS", UNDECIDED, UNDECIDED, "PASS"]
    table = answer_table(results)
    assert [row.get("ended early") for row in table.records()] == [None, 1]
    made = read_tables([results])
    said = "Ended early by the adversary: 1 game"
    assert [(pair.whole, pair.cells[-2]) for pair in pairs(made)] == [(True, "1"), (False, "")]
    assert said in described_of(made, check_plot("matrix")).note


def test_a_trace_shorter_than_its_games_is_stated(folder: Path) -> None:
    Path("t.csv").write_text("site\na\nb\nb\n")
    text = "{name: s, items: %s, sites: %s, protocol: exact, adversary: {kind: trace, file: t.csv, site: site}}"
    remarks = "games of 50 items end after 3", "2 of 9 sites get items"
    for items, sites, said in ((3, 2, []), (50, 2, [remarks[0]]), (3, 9, [remarks[1]])):
        Path("s.yaml").write_text(text % (items, sites))
        flags = ["--out", f"out{items}-{sites}", "--workers", "1", "--no-figures"]
        shown = disttrack("run", "s.yaml", *flags)
        assert shown.exit_code == 0, shown.output
        assert [line for line in remarks if line in shown.output] == said
