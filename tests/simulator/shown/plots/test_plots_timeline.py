"""The timeline of a game: exact where it was recorded, against a plain count over all steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.protocols import Deterministic, Randomized
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.game.play import play
from disttrack.simulator.shown.plots import timeline_of
from disttrack.simulator.shown.plots.description import Region, Series
from disttrack.simulator.shown.plots.kinds import Timeline
from disttrack.simulator.shown.plots.requests import planned
from disttrack.simulator.shown.plots.traces import from_game, game_described, timeline


def errors(game: object) -> np.ndarray:
    """Return the signed relative error at each item, one step after the other."""
    outputs = dict(game.outputs.itertuples(index=False, name=None))  # type: ignore[attr-defined]
    output, signed = 0.0, []
    for step in range(1, game.items + 1):  # type: ignore[attr-defined]
        output = float(outputs.get(step, output))
        signed.append(output / step - 1)
    return np.array(signed)


def test_a_recorded_game_is_shown_at_every_step() -> None:
    game = play(Randomized(alpha=0.2), Freeze(), sites=64, items=4_000, seed=1, record=True)
    trace = from_game(game, "")
    plain = errors(game)
    assert trace.exact
    assert (trace.error.max(), trace.error.min()) == pytest.approx((plain.max(), plain.min()))
    at = trace.items.astype(int)
    assert trace.error == pytest.approx(plain[at - 1])
    assert (at[0], at[-1]) == (1, 4_000)
    low, _ = game_described(game).panels[0].x.ends
    assert low <= np.flatnonzero(np.abs(plain) > 0.2)[0] + 1, "the first failure is in the picture"


@pytest.mark.parametrize("items", [200, 1_000, 9_200, 20_000])
def test_the_foot_of_a_game_names_the_first_item(items: int) -> None:
    described = game_described(play(Deterministic(alpha=0.2), RoundRobin(), sites=4, items=items, record=True))
    low, _ = described.panels[0].x.ends
    assert described.note == ("at every step." if low == 1 else "at every step from item 2 on.")


@pytest.mark.parametrize("items", [50, 4_000, 10**7])
def test_the_foot_states_the_number_of_checkpoints_that_are_drawn(items: int) -> None:
    described = game_described(play(Deterministic(alpha=0.2), RoundRobin(), sites=4, items=items))
    low, _ = described.panels[-1].x.ends
    (words,) = described.panels[-1].of(Series)
    assert described.note == f"at {(words.x >= low).sum()} checkpoints."
    assert len(words.x) < 200


@pytest.mark.slow
def test_a_game_draws_itself(tmp_path: Path) -> None:
    game = play(Randomized(alpha=0.2), Freeze(), sites=64, items=4_000, seed=1, record=True)
    figure = game.plot(tmp_path / "game.png")
    assert (tmp_path / "game.png").exists()
    assert not (tmp_path / "game.svg").exists()
    assert [(one.low, one.high) for panel in game_described(game).panels for one in panel.of(Region)] == [(-1, 1)]
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["items counted", "error, in units of α", "words so far"]
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook asks for
    timeline_of(game, tmp_path / "both")
    assert (tmp_path / "both.png").exists()
    assert (tmp_path / "both.svg").exists()
    with pytest.raises(ValueError, match=r"path must end in \.png or \.svg"):
        timeline_of(game, tmp_path / "game.gif")


def test_a_game_of_one_item_can_be_drawn() -> None:
    assert play(Deterministic(alpha=0.1), RoundRobin(), sites=1, items=1, record=True).plot().axes


def test_a_swept_alpha_that_the_shown_games_share_is_named(tmp_path: Path) -> None:
    sweep = {"alphas": (0.05, 0.2), "sites": (4,), "protocols": ("deterministic", "robust")}
    tables = read_tables([write_result(tmp_path / "swept", **sweep)])
    chosen = tables.trials["alpha"].astype(float) == 0.2
    tables.trials.loc[chosen, "max_rel_error"] = 9.0  # the worst games: all have this alpha
    figure = timeline(Timeline(), tables)
    said = " ".join([figure.subtitle, *(panel.title for panel in figure.panels)])
    assert "α=0.2" in said
    assert "α 0.05" not in said


def test_games_without_a_relative_error_get_no_timeline(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "quota", sites=(4,), plots=())
    assert "timeline" in planned(Results(folder), read_tables([folder]), None)[0]
    path = folder / "trials.csv"
    rows = pd.read_csv(path)
    rows["max_rel_error"] = np.nan
    rows.to_csv(path, index=False)
    assert "timeline" not in planned(Results(folder), read_tables([folder]), None)[0]
    with pytest.raises(ValueError, match="not judged by relative errors"):
        timeline(Timeline(), read_tables([folder]))


@pytest.mark.parametrize(
    ("where", "columns", "foot"),
    [
        (
            "",
            4,
            "4 of 32 games, the largest error/α of each protocol, against freeze, sites=64; "
            "larger elsewhere: deterministic, martingale; at",
        ),
        (
            "sites == 64 and adversary == 'freeze'",
            4,
            "4 of 8 games, the largest error/α of each protocol, against freeze; at",
        ),
        ("protocol == 'robust'", 1, "1 of 8 games, the largest error/α, against freeze, sites=64; at"),
        ("protocol == 'robust' and sites == 16 and trial == 0 and adversary == 'freeze'", 1, "at"),
    ],
)
def test_the_foot_says_which_games_are_shown(where: str, columns: int, foot: str, tmp_path: Path) -> None:
    """Columns have one axis of items, and each has its title on top."""
    tables = read_tables([write_result(tmp_path / "one", sites=(16, 64), trials=2)])
    figure = timeline(Timeline(), tables.where(where) if where else tables)
    assert figure.note.startswith(foot)
    assert figure.columns == columns
    assert len({panel.x.ends for panel in figure.panels}) == 1
    titled = [bool(panel.title) for panel in figure.panels]
    assert titled == [True] * columns + [False] * (len(titled) - columns)
