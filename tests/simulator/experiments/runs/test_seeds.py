"""A scenario under fresh seeds: how often its claims hold, kept seed by seed."""

from __future__ import annotations

import csv
from pathlib import Path

from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.runs.seeds import run_seeds
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import Scenario, build, load


def coins(most: float = 1e9) -> Scenario:
    """Return a scenario one claim of which depends on the coins."""
    data = {
        "name": "coins",
        "sites": 4,
        "items": 300,
        "seed": 40,
        "protocol": {"kind": "randomized", "alpha": 0.2},
        "adversary": "uniform",
        "claims": [
            {"name": "words", "measure": "max(words)", "at_most": most},
            {"name": "each", "each": "protocol", "measure": "min(words)", "at_least": 1,
             "control": {"sites": 5}},
        ],
    }  # fmt: skip
    return build(Document("coins.yaml", Path(), data))


def test_each_seed_is_the_run_that_it_would_be_by_itself(tmp_path: Path) -> None:
    held, errors = run_seeds(coins(), 4, out=tmp_path, workers=1)
    assert errors == []
    alone = []
    for seed in (41, 42, 43, 44):
        report = run(load(coins(), [f"seed={seed}"]), out=tmp_path / str(seed), workers=1)
        alone.append(report.trials["words"].iloc[0])
    words, least = held
    assert (words.seeds, words.held, words.least, words.most) == (4, 4, min(alone), max(alone))
    assert len(set(alone)) > 1, "all four seeds gave the same words: the coins did not fall anew"
    assert least.group == "protocol == 'randomized'"


def test_a_claim_that_some_seeds_break_names_them(tmp_path: Path) -> None:
    values = run_seeds(coins(), 4, out=tmp_path, workers=1)[0][0]
    assert values.least is not None
    assert values.most is not None
    held, _ = run_seeds(coins((values.least + values.most) / 2), 4, out=tmp_path, workers=1)
    assert 0 < held[0].held < 4
    assert len(held[0].failed) == 4 - held[0].held
    assert not held[0].always
    rows = list(csv.DictReader((tmp_path / "seeds.csv").open(encoding="utf-8")))
    assert rows[0]["failed"] == " ".join(map(str, held[0].failed))
    assert sorted(path.name for path in (tmp_path / "seeds").iterdir()) == ["41", "42", "43", "44"]
