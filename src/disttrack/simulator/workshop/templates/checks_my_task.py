"""Tests of my_task.py: python -m pytest test_my_task.py"""

from pathlib import Path

import pytest

from disttrack import ScenarioError, run
from disttrack.simulator.workshop.templates.my_task import MyTask

SCENARIO = Path(__file__).with_name("my_task.yaml")
SMALL = ["trials=2", "shops=8", "customers=3000", "adversary=[uniform, {kind: single-site, site: 3}]", "claims=[]"]


def test_a_single_shop_with_customers_bears_all_the_work(tmp_path: Path) -> None:
    trials = run(SCENARIO, overrides=SMALL, out=tmp_path / "out", workers=1).trials
    assert set(trials["verdict"]) == {"ok"}
    alone = trials["adversary"] == "single-site"
    assert (trials.loc[alone, "busiest"] == 1).all()
    assert (trials.loc[alone, "uneven"] == 8).all()
    assert (trials.loc[~alone, "uneven"] < 2).all()


def test_its_sizes_go_by_their_names(tmp_path: Path) -> None:
    assert [size.key for size in MyTask.sizes] == ["shops", "customers"]
    with pytest.raises(ScenarioError, match="customers"):
        run(SCENARIO, overrides=["items=3000"], out=tmp_path / "out", workers=1)
