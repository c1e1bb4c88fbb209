"""A run of a sketch or a learner is played as written: shortcuts of its parent are void once it changes a rule."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.privacy.mechanisms.prediction.base import LearnerRun
from disttrack.privacy.mechanisms.sketches.base import SketchRun
from tests.simulator.kinds.test_shortcuts import hold_kept, hold_void

NO_CLAIM: dict[type[Any], dict[str, Any]] = {
    SketchRun: {"release": SketchRun.release, "absorb": SketchRun.absorb},
    LearnerRun: {"release": LearnerRun.release, "play": LearnerRun.play},
}
"""What the gates read of a class that claims nothing."""
RULES: dict[type[Any], tuple[str, ...]] = {
    SketchRun: ("update", "estimate", "step"),
    LearnerRun: ("hypothesis", "predict", "learn"),
}
"""Rules that these shortcuts stand for, where a class has them."""


@pytest.mark.parametrize("base", NO_CLAIM, ids=lambda cls: cls.__name__)
def test_nothing_is_inherited_by_a_run_with_a_changed_rule(base: type[Any]) -> None:
    hold_void(base, NO_CLAIM[base], RULES[base])


def test_a_run_that_changes_no_rule_keeps_what_its_parent_states() -> None:
    hold_kept(NO_CLAIM)
