"""Games that learners play by compiled functions are those of `leap`, action by action, one or many at a time."""

from __future__ import annotations

import copy
import inspect
import pickle
from functools import partial
from importlib.resources import files
from typing import Any, Final

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")

import gymnasium
from gymnasium.vector import SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.attack.learners import compiled_games
from disttrack.attack.learners.compiled_games import CompiledGames, games_of
from disttrack.attack.learners.environment import DistributedCount
from disttrack.attack.learners.games import Games, LeapGames, Sizes
from disttrack.attack.learners.vector_environment import DistributedCounts
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Deterministic, Protocol, Randomized, Robust
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.kinds.registry import kinds, parameters

ACCURACIES: Final = (0.1, 0.3, 0.5)
needs_numba = pytest.mark.skipif(not available(), reason="the extra 'fast' is not installed")


@pytest.fixture(params=[pytest.param(True, marks=needs_numba), False], ids=["fast", "leap"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have games played by the functions that are compiled, as they are written, and by `leap`."""
    if not request.param:
        monkeypatch.setattr(compiled_games, "available", lambda: False)


by_either = pytest.mark.usefixtures("either")


def with_kernels() -> list[Protocol]:
    """Return every registered tracker with a compiled form, at some accuracies."""
    found: list[Protocol] = []
    for kind in kinds("protocol").values():
        maker: Any = kind.load()
        formed = getattr(maker, "kernel_form", Protocol.kernel_form) is not Protocol.kernel_form
        if formed and not maker.plays:  # the forms of other tasks are not for learners
            variants = [{}, {"centred": True}] if "centred" in parameters(maker) else [{}]
            accuracies = [{"alpha": alpha} for alpha in ACCURACIES] if "alpha" in parameters(maker) else [{}]
            found += [maker(**accuracy, **more) for accuracy in accuracies for more in variants]
    return found


PROTOCOLS: Final = with_kernels()


def state(games: Games, number: int) -> list[Any]:
    """Return all that a learner can see of each game."""
    of_each = [(games.known(game), games.moves(game), games.is_over(game)) for game in range(number)]
    return [of_each, games.seen.tolist(), games.rewards.tolist(), games.given.tolist()]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def hold_same(data: st.DataObject) -> None:
    """Hold drawn games by compiled functions against those by `leap`."""
    number, draw = 2, data.draw
    sizes = Sizes(
        protocol=draw(st.sampled_from(PROTOCOLS)),
        sites=draw(st.sampled_from([1, 2, 3, 16])),
        items=draw(st.sampled_from([1, 2, 30, 400])),
        start=draw(st.sampled_from([0, 1, 50, 5000])),
        sees=draw(st.sampled_from(["outputs", "traffic", "state"])),
        burst=draw(st.sampled_from([1, 2, 9, 500])),
    )
    games, plain = games_of(sizes, number), LeapGames(sizes, number)
    assert isinstance(games, CompiledGames)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    sticky = draw(st.floats(0, 1))
    actions = np.zeros(number, dtype=np.int64)
    for begun, most in ((0, draw(st.integers(0, 500))), (5, 500)):  # the second games follow others in their places
        for game in range(number):
            for each in (games, plain):
                each.begin(game, begun + game)
        for _ in range(most):
            assert state(games, number) == state(plain, number)
            playing = np.array([not games.is_over(game) for game in range(number)])
            if not playing.any():
                break
            if rng.random() > sticky:
                actions = rng.integers(sizes.sites + 1, size=number)
            for each in (games, plain):
                each.act(actions, playing)


@needs_numba
def test_a_game_by_compiled_functions_is_that_of_leap() -> None:
    """Of all trackers with a form, as the functions are written."""
    hold_same()


@needs_numba
@pytest.mark.slow
def test_a_compiled_game_is_that_of_leap() -> None:
    hold_same()


class Changed(Robust):
    """A class of the user's with a rule of its own."""

    def server(self, k: int, rng: np.random.Generator, start: Any = ()) -> Any:
        return super().server(k, rng, start)


class Decorated(Deterministic):
    """A class whose rule is exchanged after it was made."""


def exchanged(self: Deterministic, k: int, rng: np.random.Generator, start: Any = ()) -> Any:
    return Deterministic.sites(self, k, rng, [1 for _ in start])


Decorated.sites = exchanged  # type: ignore[method-assign]


class Told(Deterministic):
    """A class of the user's which says that the compiled form is still its own."""

    kernel_form = Deterministic.kernel_form


@needs_numba
@pytest.mark.parametrize(
    ("protocol", "items", "sees", "expected"),
    [
        (Robust(alpha=0.3), 50, "outputs", CompiledGames),
        (Changed(alpha=0.3), 50, "outputs", LeapGames),
        (Decorated(alpha=0.3), 50, "outputs", LeapGames),
        (broken(Randomized(alpha=0.1), "lost-reports"), 50, "outputs", LeapGames),
        (Deterministic(alpha=0.1), 2**51, "outputs", LeapGames),
        (Told(alpha=0.3), 50, "traffic", CompiledGames),
        (Told(alpha=0.3), 50, "state", LeapGames),
    ],
)
def test_games_with_another_rule_or_state_are_played_by_leap(
    protocol: Any, items: int, sees: str, expected: type[Games]
) -> None:
    assert isinstance(games_of(Sizes(protocol, 3, items, 0, sees, 1), 1), expected)


@needs_numba
def test_a_numba_that_cannot_be_imported_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(*parts: Any, **more: Any) -> Any:
        raise ImportError("numba needs another numpy")

    monkeypatch.setattr(compiled_games, "compiled", compiled)
    sizes = Sizes(Robust(alpha=0.3), 3, 50, 0, "outputs", 1)
    assert isinstance(games_of(sizes, 1), LeapGames)
    many = DistributedCounts(2, protocol=Robust(alpha=0.3), sites=3, items=50)
    many.reset(seed=1)
    assert many.step([0, 1])[4]["items"].tolist() == [1, 1]


@by_either
@pytest.mark.parametrize("burst", [50, 10**10, 2**63 - 1, 2**64])
def test_a_burst_may_be_longer_than_the_game(burst: int) -> None:
    game = DistributedCount(Deterministic(alpha=0.5), sites=2, items=50, burst=burst)
    game.reset(seed=1)
    assert game.step(np.int64(2))[0][:4].tolist() == pytest.approx([0, 0, np.log(2) / np.log(51), 0])
    for _ in range(9):
        items = game.step(np.int64(0))[4]["items"]
    assert items > 20


MODES: Final = ["NextStep", gymnasium.vector.AutoresetMode.SAME_STEP, "Disabled"]


def plain(infos: Any) -> Any:
    """Return facts as lists, with the types of arrays."""
    if isinstance(infos, dict):
        return {name: plain(value) for name, value in sorted(infos.items())}
    if isinstance(infos, tuple):
        return [plain(one) for one in infos]
    if isinstance(infos, np.ndarray):
        return str(infos.dtype), [plain(value) for value in infos]
    return infos.item() if isinstance(infos, np.generic) else infos


@by_either
@pytest.mark.parametrize(("mode", "sees"), list(zip(MODES, ["outputs", "traffic", "state"], strict=True)))
def test_many_games_are_what_gymnasium_makes_of_single_ones(mode: Any, sees: str) -> None:
    """Also where some begin anew by a mask, and where games are cut off."""
    protocol = Robust(alpha=0.4) if sees == "traffic" else Randomized(alpha=0.2)
    game: dict[str, Any] = {"protocol": protocol, "sites": 3, "items": 12, "sees": sees}
    many = DistributedCounts(4, autoreset_mode=mode, **game)
    single: Any = SyncVectorEnv([partial(DistributedCount, **game)] * 4, autoreset_mode=mode)
    rng = np.random.default_rng(2)
    shown = [each.reset(seed=5) for each in (many, single)]
    for step in range(200):
        assert plain(shown[0]) == plain(shown[1])
        ended = shown[0][2] | shown[0][3] if step and len(shown[0]) == 5 else np.zeros(4, dtype=bool)
        if mode == "Disabled" and ended.any():
            shown = [each.reset(options={"reset_mask": ended.copy()}) for each in (many, single)]
            continue
        actions = np.where(rng.random(4) < [0.9, 0.9, 0.9, 1.0], 3, rng.integers(4, size=4))  # most of them skip
        shown = [each.step(actions) for each in (many, single)]
    assert many.render() == single.render()
    alone = [DistributedCount(**game).reset(seed=5 + place)[0].tolist() for place in range(4)]
    assert many.reset(seed=5)[0].tolist() == alone


@by_either
def test_a_game_is_cut_off_after_as_many_actions_as_the_help_and_the_page_say() -> None:
    game: dict[str, Any] = {"protocol": Robust(alpha=0.4), "sites": 2, "items": 3}
    single, many = DistributedCount(**game), DistributedCounts(2, autoreset_mode="NextStep", **game)
    single.reset(seed=1)
    many.reset(seed=1)
    cut = [(single.step(np.int64(2))[3], *many.step([2, 2])[3].tolist()) for _ in range(10 * (3 + 1))]
    assert not np.any(cut[:-1])
    assert all(cut[-1])
    page = files("disttrack.attack") / "docs/attackers.md"
    for words in (inspect.cleandoc(str(DistributedCount.__doc__)), page.read_text(encoding="utf-8")):
        assert "10 (items + 1) actions" in words


@by_either
@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_of_many_games_plays_the_same_future(copied: Any) -> None:
    many = DistributedCounts(3, protocol=Robust(alpha=0.4), sites=2, items=90, burst=3)
    many.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in range(20):
        many.step(rng.integers(3, size=3))
    other = copied(many)
    for _ in range(60):
        actions = rng.integers(3, size=3)
        assert plain(many.step(actions)) == plain(other.step(actions))


@by_either
def test_actions_of_many_games_are_checked_before_any_is_played() -> None:
    many = DistributedCounts(2, protocol=Randomized(alpha=0.2), sites=3, items=2)
    many.reset(seed=1)
    of_each = "actions must be one for each of the 2 games; got"
    for wrong, said in (
        ([0, 4], "action must be in 0 … 3; got 4"),
        ([-1, 0], "action must be in 0 … 3; got -1"),
        ([0.5, 0], r"action must be a whole number in 0 … 3; got 0\.5"),
        ([True, 0], "action must be a whole number"),
        ([[0], [0, 1]], "action must be a whole number"),
        (np.array([0.0, 1.0]), "action must be a whole number"),
        *((one, of_each) for one in ([0], [0, 0, 0], np.zeros(3, dtype=int), 3, None, "01", {0: 0, 1: 1}, np.int64(1))),
    ):
        with pytest.raises(ValueError, match=said):
            many.step(wrong)
    assert many.step(iter([0, np.array([0])]))[4]["items"].tolist() == [1, 1]
    assert many.step(np.array([0, 1], dtype=np.uint8))[2].all()
    assert many.step([99, -5])[4]["items"].tolist() == [0, 0], "games that begin anew ignore their actions"


@by_either
def test_single_games_of_a_vector_are_the_same_games() -> None:
    many = DistributedCounts(2, protocol=Randomized(alpha=0.2), sites=3, items=9, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded):
        many.render()
    many.call("reset", seed=3)
    assert many.step([0, 1])[4]["items"].tolist() == [1, 1]
    many.call("step", 0)
    assert [text.splitlines()[0] for text in many.render()] == ["2 of 9 items sent in 2 steps"] * 2
    assert many.get_attr("burst") == (1, 1)
    with pytest.raises(AttributeError):
        many.set_attr("burst", 5)
    for _ in range(7):
        many.call("step", 0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        many.step([0, 0])


@needs_numba
def test_a_game_that_is_over_must_be_reset_where_none_begins_by_itself() -> None:
    many = DistributedCounts(1, autoreset_mode="Disabled", protocol=Randomized(alpha=0.2), sites=3, items=1)
    many.reset(seed=1)
    many.step([0])
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        many.step([0])
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        DistributedCounts(2, protocol=Randomized(alpha=0.2), sites=3, items=5).step([0, 0])


@needs_numba
def test_long_games_have_room_for_their_actions_and_steps() -> None:
    game = DistributedCount(Randomized(alpha=0.3), sites=2, items=70, burst=1)
    slow = LeapGames(game.sizes, 1)
    game.reset(seed=4)
    for _ in range(690):
        game.step(np.int64(2))
    assert game.games.known(0).steps == len(game.games.moves(0)) == 690
    assert copy.deepcopy(game).games.seen.tolist() == game.games.seen.tolist()
    assert isinstance(game.games, CompiledGames)
    slow.begin(0, int(np.random.Generator(np.random.PCG64(4)).integers(2**53)))
    for _ in range(690):
        slow.act(np.array([2]), np.array([True]))
    assert slow.seen.tolist() == game.games.seen.tolist()
