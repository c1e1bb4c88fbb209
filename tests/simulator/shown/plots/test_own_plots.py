"""Plots by reference: checked before anything runs, drawn from tables, refused in one line."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import MISSING
from inspect import getmro
from itertools import product
from pathlib import Path

import own_kinds
import pytest

from disttrack.simulator.cli.options import class_of
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import kinds, make, parameters
from disttrack.simulator.shown.plots import compare, draw

SCENARIO = """\
name: small
sites: [2, 4]
items: 300
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
plots:
  - {kind: spread.py:Spread, x: sites, size: 4}
  - {kind: cost, x: sites}
"""


@pytest.fixture
def file(folder: Path) -> Path:
    Path("mine").mkdir()
    Path("mine/spread.py").write_text(own_kinds.SPREAD)
    Path("mine/small.yaml").write_text(SCENARIO)
    return Path("mine/small.yaml")


def test_checking_a_scenario_with_plots_loads_neither_matplotlib_nor_pandas(file: Path) -> None:
    code = (
        "import sys; from disttrack.simulator.experiments.scenario.load import load; "
        f"assert len(load({str(file)!r}).head.plots) == 2; "
        "from disttrack.simulator.kinds.registry import kinds; [kind.load() for kind in kinds('plot').values()]; "
        "sys.exit(any(name.split('.')[0] in ('matplotlib', 'pandas') for name in sys.modules))"
    )
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(root / "src"), "PATH": ""}, check=False)
    assert done.returncode == 0


def test_it_is_drawn_beside_the_others(file: Path) -> None:
    results = run(load(file), out="out", workers=1)
    assert [path.name for path in draw(results) if path.suffix == ".svg"] == ["spread-sites.svg", "cost-sites.svg"]
    assert b'id="dot"' in Path("out/figures/spread-sites.svg").read_bytes()


def test_compare_takes_one(file: Path) -> None:
    folders = [run(load(file), out=out, workers=1).dir for out in ("one", "two")]
    assert compare(folders, {"kind": "mine/spread.py:Spread", "x": "sites"}, "both").name == "compare-spread-sites"
    # the first swept axis, where it needs one
    made = compare(folders, "mine/spread.py:Spread", "both")
    assert (made.path, made.described) == (Path("both/compare-spread-sites.svg"), None)
    assert {path.name for path in Path("both").iterdir()} == {"compare-spread-sites.png", "compare-spread-sites.svg"}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("return figure", "return 7", "Spread.draw must return a matplotlib Figure; got 7"),
        ("return figure", "return {}[self.x]", "Spread.draw raised KeyError: 'sites'"),
        ("def draw(", "def darw(", r"Spread has neither describe\(tables\) nor draw\(tables\)"),
    ],
)
def test_one_that_goes_wrong_costs_its_figure_only(file: Path, old: str, new: str, message: str) -> None:
    results = run(load(file), out="out", workers=1)
    Path("mine/spread.py").write_text(own_kinds.SPREAD.replace(old, new))
    own = {"mine/spread.py:Spread": class_of("mine/spread.py:Spread", "plot")}
    with pytest.raises(ValueError, match=message) as caught:
        draw(Results(results.dir, own))
    assert "\n" not in str(caught.value)
    assert not Path("out/figures/spread-sites.svg").exists()
    assert Path("out/figures/cost-sites.svg").exists()


def test_a_text_of_a_form_that_is_given_as_another_value_is_told_its_form() -> None:
    """Seen: "must be a text", of `scale: {x: log, y: log}`."""
    found = 0
    for kind in kinds("plot").values():
        maker = kind.load()
        needed = {name: "words" for name, value in parameters(maker).items() if value is MISSING}
        forms = {key: form for base in getmro(maker) for key, form in vars(base).get("of_form", {}).items()}
        assert {"scale", "size", "font"} <= set(forms)
        for (key, form), value in product(forms.items(), ({"x": "log"}, ["log"], 3)):
            with pytest.raises(ScenarioError, match=f"^{key}: must be {re.escape(form)}; got {re.escape(str(value))}"):
                make("plot", maker, {**needed, key: value})
            found += 1
    assert found >= 70
