"""Names of kinds in tables: different classes have different ones, or the scenario is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import Scenario, load

HEAD = "from disttrack.protocols import Randomized\nfrom disttrack.adversaries import Freeze\n"


def _loaded(folder: Path, protocol: str, adversary: str) -> Scenario:
    file = folder / "s.yaml"
    file.write_text(f"name: s\nsites: 2\nitems: 50\nprotocol: {protocol}\nadversary: {adversary}\n")
    return load(file)


def test_a_class_does_not_take_the_name_of_the_one_that_it_extends(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{HEAD}class Mine(Randomized): pass\nclass Named(Randomized): kind = 'named'\n")
    kinds = [f"{{kind: '{kind}', alpha: 0.2}}" for kind in ("randomized", "mine.py:Mine", "mine.py:Named")]
    points = _loaded(tmp_path, f"[{', '.join(kinds)}]", "freeze").points
    assert [point.protocol.label for point in points] == ["randomized", "Mine", "named"]


@pytest.mark.parametrize("adversary", ["['v1/adv.py:A', 'v2/adv.py:A']", "['v1/adv.py:turn', 'v2/adv.py:turn']"])
def test_two_classes_of_one_name_are_refused(tmp_path: Path, adversary: str) -> None:
    for number in (1, 2):
        (tmp_path / f"v{number}").mkdir()
        text = "class A(Freeze): pass\ndef turn(view): return 0\n"
        (tmp_path / f"v{number}" / "adv.py").write_text(f"{HEAD}{text}VALUE = {number}\n")
    with pytest.raises(ScenarioError, match=r"s\.yaml:5: adversary: .* are both called '(A|turn)'") as caught:
        _loaded(tmp_path, "exact", adversary)
    assert "\n" not in str(caught.value)
    assert ("rename a function" in str(caught.value)) == ("turn" in adversary)


def test_one_class_may_be_named_in_two_ways(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{HEAD}class A(Freeze): pass\n")
    scenario = _loaded(tmp_path, "exact", "['mine.py:A', './mine.py:A', freeze, 'disttrack.adversaries:Freeze']")
    assert [point.adversary.label for point in scenario.points] == ["A", "A", "freeze", "freeze"]
