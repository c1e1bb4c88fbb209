"""The game by its names in Gymnasium: registered by `disttrack.gym`, checked without a warning, rendered."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")

import gymnasium
from gymnasium.utils.env_checker import check_env

import disttrack
from disttrack.attack.learners.environment import DistributedCount
from disttrack.gym import IDS


def test_the_names_are_those_that_are_documented() -> None:
    assert set(IDS) == {
        "disttrack/Tracking-v0",
        "disttrack/Randomized-v0",
        "disttrack/Robust-v0",
        "disttrack/Martingale-v0",
    }
    assert {name for name in gymnasium.registry if name.startswith("disttrack/")} == set(IDS)


@pytest.mark.parametrize("name", IDS)
def test_no_warning_from_check_env(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game = gymnasium.make(name)
        check_env(game.unwrapped)  # with its spec it checks all ways to render, too
        game.close()


def test_gymnasium_imports_the_names_by_their_module() -> None:
    code = (
        "import warnings, sys\nwarnings.simplefilter('error')\nfinders = list(sys.meta_path)\nimport gymnasium\n"
        "assert 'disttrack/Robust-v0' not in gymnasium.registry, 'a plain import has no side effect'\n"
        "gymnasium.make('disttrack.gym:disttrack/Robust-v0').reset(seed=1)\n"
        "assert sys.meta_path == finders\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


def test_a_name_is_the_game_with_its_arguments() -> None:
    named = gymnasium.make("disttrack/Tracking-v0", sites=3, protocol={"kind": "robust", "alpha": 0.5}).unwrapped
    own = DistributedCount(disttrack.Robust(alpha=0.5), sites=3, items=2000)
    named.reset(seed=3)
    own.reset(seed=3)
    for step in range(300):
        one, other = (game.step(np.int64(step % 4)) for game in (named, own))
        assert one[0].tolist() == other[0].tolist()
        assert one[1:] == other[1:]


def test_many_games_begin_anew_in_the_same_step_if_asked() -> None:
    many = gymnasium.make_vec("disttrack/Tracking-v0", 2, protocol="exact", items=1, autoreset_mode="SameStep")
    many.reset(seed=1)
    shown, _, ended, _, facts = many.step(np.array([0, 16]))  # the second one skips
    assert ended.tolist() == [True, False]
    assert (shown[0][0], facts["final_obs"][0][0]) == (0, 1)
    with pytest.raises(ValueError, match="num_envs must be a whole number of at least 1; got 0"):
        gymnasium.make_vec("disttrack/Tracking-v0", 0)


def test_the_text_by_hand() -> None:
    game = DistributedCount("exact", sites=3, items=10, burst=1, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded):
        game.render()
    game.reset(seed=1)
    assert game.render() == (
        "0 of 10 items sent in 0 steps\noutput 0, error 0 %, largest 0 %\nchanged 0 times\nitems by site  ···"
    )
    for action in (1, 1, 2, 3):  # the last one skips
        game.step(np.int64(action))
    assert game.render() == (
        "3 of 10 items sent in 4 steps\noutput 3, error 0 %, largest 0 %\n"
        "changed 3 times, last a step ago\nitems by site  ·█▄"
    )
    silent = DistributedCount("exact", sites=3, items=10)
    silent.reset(seed=1)
    assert silent.render() is None


def test_a_class_in_place_of_an_object_is_one_line() -> None:
    with pytest.raises(TypeError, match=r"^protocol must be an object, Deterministic\(alpha=0.1\); got the class$"):
        DistributedCount(disttrack.Deterministic, sites=2, items=9)  # type: ignore[arg-type]


def test_the_module_without_its_extra_names_it() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import disttrack.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith("which is not installed: pip install 'disttrack[gym]'")
