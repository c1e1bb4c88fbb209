"""Points that differ look different: in tables, comparisons and names, whatever their parameters and classes."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any

import pytest
from commands import disttrack
from hostile import often
from hypothesis import example, given
from hypothesis import strategies as st

from disttrack import Freeze, Robust, play
from disttrack.adversaries import RoundRobin
from disttrack.protocols import Randomized
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.compared import compare_results
from disttrack.simulator.experiments.results.formats import apart, exact, sides_of
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.kinds.names import with_name
from disttrack.simulator.kinds.point import label_of_class
from disttrack.simulator.kinds.registry import kinds
from disttrack.simulator.shown.replay.record import record_of
from disttrack.simulator.shown.terminal.answered import games_table

VALUES = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.text(max_size=5),
    st.sampled_from(["0.1", "1,024", "True", "[1]", "", " ", "infinite", "1e-20"]),
    st.lists(st.integers(0, 9), max_size=15),
)


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are one setting: 2 and 2.0 are, 1 and True are not."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def test_values_that_differ_look_different() -> None:
    @often(120)
    @given(values=st.lists(VALUES, max_size=4), near=st.floats(1e-9, 1.0))
    @example(values=["infinite", inf, "-infinite", -inf], near=0.5)
    def tried(values: list[Any], near: float) -> None:
        values += [near, near * (1 + 1e-12), round(near, 3)]
        for shown in (apart(values), [exact(value) for value in values]):
            pairs = combinations(zip(values, shown, strict=True), 2)
            assert all(same(one, other) or text != words for (one, text), (other, words) in pairs), shown
        numbers = [value for value in values if isinstance(value, float)]
        assert len({with_name("alpha", value) for value in numbers}) == len(set(numbers))

    tried()


def test_accuracies_that_differ_late_are_told_apart_everywhere(tmp_path: Path) -> None:
    alphas = [0.1234567, 0.1234568, 0.1234569]
    scenario = {"sites": 2, "items": 30, "protocol": {"kind": "deterministic", "alpha": alphas}, "seed": 1}
    one = run({**scenario, "adversary": "round-robin"}, out=tmp_path / "one", workers=1)
    made = answer_table(one)
    assert len({row[made.headers.index("alpha")] for row in made.texts}) == 3
    for width in (40, 60, None):
        text = "\n".join(games_table(made).lines(width))
        assert all(str(alpha) in text for alpha in alphas), width
    compared = compare_results([one, one], ["a", "b"])
    assert {row.cells["alpha"] for row in compared.rows} == set(map(str, alphas))


def test_a_swept_engine_is_a_column(tmp_path: Path) -> None:
    scenario = {"sites": 2, "items": 30, "protocol": "exact", "adversary": "round-robin", "seed": 1}
    made = answer_table(run({**scenario, "engine": ["step", "auto", "leap"]}, out=tmp_path / "three", workers=1))
    assert [row[made.headers.index("engine")] for row in made.texts] == ["step", "auto", "leap"]
    made = answer_table(run({**scenario, "engine": "step"}, out=tmp_path / "one", workers=1))
    assert "engine" not in made.headers
    assert "engine" not in made.subtitle


class Randomised(Randomized):
    """A tracker that is called as a shipped one, which it is not."""

    kind = "randomized"


def test_a_class_of_the_users_never_has_the_name_of_a_shipped_one() -> None:
    """In tables neither, as in test_named_as_shipped."""
    assert play(Randomised(alpha=0.3), RoundRobin(), sites=2, items=9).protocol.endswith(":Randomised")
    assert play(Randomized(alpha=0.3), RoundRobin(), sites=2, items=9).protocol == "randomized"


@pytest.mark.parametrize("role", ["protocol", "adversary"])
def test_a_subclass_of_any_kind_has_a_name_of_its_own(role: Any) -> None:
    for kind in kinds(role).values():
        maker = kind.load()
        if isinstance(maker, type):
            inherits, copies = type("Mine", (maker,), {}), type("Mine", (maker,), {"kind": kind.name})
            names = [label_of_class(role, one) for one in (maker, inherits, copies)]
            assert names[:2] == [kind.name, "Mine"]
            assert names[2] != kind.name


LONG = "M" * 300
SCENARIO = f"""\
name: long
sites: 2
items: 30
protocol: [{{kind: "mine.py:{LONG}", alpha: 0.2}}, {{kind: deterministic, alpha: [0.1, 0.2]}}]
adversary: [round-robin, freeze]
"""


@pytest.mark.slow
def test_an_ascii_terminal_and_long_names_are_no_tracebacks(folder: Path) -> None:
    Path("mine.py").write_text(f"from disttrack.protocols import Deterministic\nclass {LONG}(Deterministic): pass\n")
    Path("long.yaml").write_text(SCENARIO)
    for number, settings in enumerate(({"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"})):
        words = [sys.executable, "-m", "disttrack.simulator"]
        environment = {**os.environ, **settings}
        made = ["run", "long.yaml", "--workers", "1", "--no-figures", "--out", f"out{number}"]
        for command in (made, ["compare", f"out{number}", f"out{number}"])[: 2 - number]:
            done = subprocess.run([*words, *command], env=environment, capture_output=True, check=False)
            assert done.returncode == 0, done.stderr.decode()
            assert b"Traceback" not in done.stderr
            assert command[0] == "compare" or LONG.encode() in done.stdout
    assert disttrack("report", "out0").exit_code == 1  # its figure has no room for the name


# ---------------------------------------------------------------------- names of games


def test_a_game_is_named_by_its_parameters() -> None:
    tight = Robust(alpha=0.2, parameters="tight")
    game = play(tight, Freeze(begin=3), sites=4, items=300, record=True)
    assert record_of(game).title == "robust(parameters=tight) against freeze(begin=3)"
    assert sides_of(game) == "robust(parameters=tight) against freeze(begin=3)"
    assert "robust(parameters=tight) against freeze(begin=3)" in game._repr_html_()
    assert sides_of(play(Robust(alpha=0.2), Freeze(), sites=4, items=300)) == (
        "robust against freeze"
    )
