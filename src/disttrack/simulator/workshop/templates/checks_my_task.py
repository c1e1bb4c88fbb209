"""Tests of my_task.py: python -m pytest test_my_task.py"""

from pathlib import Path

import pytest

from disttrack import ScenarioError, run
from disttrack.simulator.workshop.templates.my_task import MyTask

SCENARIO = """
name: small
task: disttrack.simulator.workshop.templates.my_task:MyTask
trials: 2
shops: 8
customers: 3000
protocol: {kind: deterministic, alpha: 0.1}
adversary: [uniform, {kind: single-site, site: 3}]
"""


def test_a_single_shop_with_customers_bears_all_the_work(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SCENARIO, encoding="utf-8")
    trials = run(tmp_path / "small.yaml", out=tmp_path / "out", workers=1).trials
    assert set(trials["verdict"]) == {"ok"}
    alone = trials["adversary"] == "single-site"
    assert (trials.loc[alone, "busiest"] == 1).all()
    assert (trials.loc[alone, "uneven"] == 8).all()
    assert (trials.loc[~alone, "uneven"] < 2).all()


def test_its_sizes_go_by_their_names(tmp_path: Path) -> None:
    assert [size.key for size in MyTask.sizes] == ["shops", "customers"]
    (tmp_path / "small.yaml").write_text(SCENARIO.replace("customers:", "items:"), encoding="utf-8")
    with pytest.raises(ScenarioError, match="customers"):
        run(tmp_path / "small.yaml", out=tmp_path / "out", workers=1)
