"""The files of the user's that a game is made of: found wherever a parameter names them, and the right ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.jobs import Job
from disttrack.simulator.experiments.runs.worker import play_job
from disttrack.simulator.experiments.scenario.document import parse
from disttrack.simulator.experiments.scenario.load import build
from disttrack.simulator.kinds.point import Point, canonical

TRACE = "shop\nRome\nOslo\nRome\n"
MODULES = ("mine_in_replay", "helper_of_both")


@pytest.fixture
def folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HOME", str(folder))
    Path("t.csv").write_text(TRACE)
    yield folder
    for name in MODULES:
        sys.modules.pop(name, None)


def _point(adversary: str) -> Point:
    return build(parse(f"{{sites: 2, items: 3, protocol: exact, adversary: {adversary}}}", "s.yaml", Path())).points[0]


def _identity(adversary: str) -> str:
    point = _point(adversary)
    return canonical([point.identity(), point.made_of()])


@pytest.mark.parametrize(
    "adversary",
    [
        "{kind: trace, file: t.csv, site: shop}",
        "{kind: trace, file: ~/t.csv, site: shop}",
        "{kind: replay, of: {kind: trace, file: t.csv, site: shop}}",
    ],
)
def test_other_data_make_other_games_wherever_they_are_named(folder: Path, adversary: str) -> None:
    before = _identity(adversary)
    assert _identity(adversary) == before
    Path("t.csv").write_text(TRACE + "Rome\n")
    assert _identity(adversary) != before


@pytest.mark.parametrize("of", ["mine_in_replay:Mine", "{kind: 'mine_in_replay:Mine'}"])
def test_other_code_makes_other_games_also_in_a_replay(folder: Path, of: str) -> None:
    text = "from disttrack.adversaries import Freeze\nclass Mine(Freeze): pass\n"
    Path("mine_in_replay.py").write_text(text)
    before = _identity(f"{{kind: replay, of: {of}}}")
    sys.modules.pop("mine_in_replay")  # as a new process would
    Path("mine_in_replay.py").write_text(f"{text}CHANGED = True\n")
    assert _identity(f"{{kind: replay, of: {of}}}") != before


def test_two_helpers_of_one_name_are_refused(folder: Path) -> None:
    for number in (1, 2):
        Path(f"v{number}").mkdir()
        Path(f"v{number}/helper_of_both.py").write_text(f"VALUE = {number}\n")
        text = "from disttrack import Freeze\nfrom helper_of_both import VALUE\nclass A(Freeze): kind = f'a{VALUE}'\n"
        Path(f"v{number}/adv.py").write_text(text)
    assert _point("'v1/adv.py:A'").adversary.label == "a1"
    with pytest.raises(ScenarioError, match=r"'helper_of_both' is .*v2.*, and in this process .*v1"):
        _point("'v2/adv.py:A'").made_of()


def test_a_game_whose_data_were_replaced_since_the_plan_is_refused(folder: Path) -> None:
    point = _point("{kind: trace, file: t.csv, site: shop}")
    job = Job("key", point, 0, 1, 1.0, point.made_of())
    assert play_job(job).row["items"] == 3
    Path("t.csv").write_text(TRACE.replace("Oslo", "Bonn!"))
    with pytest.raises(ScenarioError, match=r"adversary: file: changed at .* \(process") as caught:
        play_job(job)
    assert "\n" not in str(caught.value)


def test_a_worker_with_other_code_plays_nothing(folder: Path) -> None:
    point = _point("freeze")
    job = Job("key", point, 0, 1, 1.0, {**point.made_of(), "the code of disttrack": "older", "numpy": "1.0"})
    with pytest.raises(ScenarioError, match="the code of disttrack, numpy: changed at"):
        play_job(job)
