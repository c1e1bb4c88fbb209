"""The ledger: what it adds up, what it refuses and says, and that it refuses before anything is drawn."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import (
    FullyDynamic,
    GrowingFinite,
    GrowingSparseInfinite,
    InsertedMinusDeleted,
    Overdrawn,
    PrivacyLedger,
)
from disttrack.privacy.mechanisms.accounting import lines, record


@settings(max_examples=100, deadline=None)
@given(losses=st.lists(st.floats(0.001, 2), min_size=1, max_size=20))
def test_in_parallel_the_largest_counts(losses: list[float]) -> None:
    ledger = PrivacyLedger("all", max(losses), rule="parallel")
    for place, loss in enumerate(losses, start=1):
        ledger.use("release", loss, over=(place, place))
    assert ledger.spent[0] == max(losses)
    with pytest.raises(Overdrawn, match="asks for epsilon"):
        ledger.use("too much", 1.01 * max(losses), over=(99, 99))


def test_in_parallel_nobody_looks_twice() -> None:
    ledger = PrivacyLedger("all", 1.0, rule="parallel")
    with pytest.raises(Overdrawn, match="must declare"):
        ledger.use("release", 0.5)
    ledger.use("release", 0.5, over=(1, 4))
    with pytest.raises(Overdrawn, match="those up to 4"):
        ledger.use("release", 0.5, over=(4, 5))
    ledger.use("test", 0.5, over=(5, None))
    with pytest.raises(Overdrawn, match="undeclared"):
        ledger.use("test", 0.5, over=(9, None))
    ledger.declare(8)
    ledger.use("test", 0.5, over=(9, None))
    assert ledger.spent == (0.5, 0.0)


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ((20, 5), "before (they begin|it begins)"),
        ((0, 3), "this budget has"),
        ((25, 31), "this budget has"),
        ((31, None), "this budget has"),
    ],
)
@pytest.mark.parametrize("rule", ["parallel", "sequence"])
def test_a_range_is_within_its_budget_and_runs_forward(rule, over, said: str) -> None:
    """A range that runs backwards would free the items before it: they could be used twice."""
    ledger = PrivacyLedger("all", 1.0, rule=rule, over=(1, 30))
    ledger.use("a", 0.5, over=(10, 12))
    with pytest.raises(ValueError, match=said):
        ledger.use("b", 0.5, over=over)
    with pytest.raises(ValueError, match=said if over[1] else "over must end"):
        ledger.part("b", 0.5, over=over)
    if rule == "parallel":
        with pytest.raises(Overdrawn, match="those up to 12"):
            ledger.use("c", 0.5, over=(10, 12))


def test_a_range_ends_once_and_not_before_it_begins() -> None:
    ledger = PrivacyLedger("all", 1.0, rule="parallel", over=(1, 30))
    with pytest.raises(ValueError, match="none is open"):
        ledger.declare(10)
    ledger.use("a", 0.5, over=(5, None))
    for last, said in ((4, "it begins at 5"), (31, "this budget has")):
        with pytest.raises(ValueError, match=said):
            ledger.declare(last)
    ledger.declare(10)
    for last in (0, 20):
        with pytest.raises(ValueError, match="none is open"):
            ledger.declare(last)
    with pytest.raises(Overdrawn, match="those up to 10"):
        ledger.use("b", 0.5, over=(10, 10))


def test_a_part_has_the_items_that_it_was_declared_for() -> None:
    """Also the parts of a part, which inherit them."""
    part = PrivacyLedger("all", 1.0, rule="parallel").part("node", 1.0, over=(1, 10))
    inner = part.part("deletions", 0.5, rule="parallel")
    for ledger in (part, inner):
        with pytest.raises(Overdrawn, match="this budget has"):
            ledger.use("release", 0.5, over=(11, 20))
    inner.use("release", 0.5, over=(1, 10))


def test_a_closed_part_takes_nothing_more() -> None:
    ledger = PrivacyLedger("all", 1.0, rule="parallel")
    part = ledger.part("node", 1.0, over=(1, 10))
    inner = part.part("release", 0.5)
    ledger.close(part)
    for closed in (part, inner):
        with pytest.raises(Overdrawn, match="was closed"):
            closed.use("again", 0.1)


@pytest.mark.parametrize("loss", [(-0.5, 0.0), (math.nan, 0.0), (0.5, -1e-9), (0.5, math.nan)])
def test_a_loss_is_never_paid_back(loss) -> None:
    with pytest.raises(ValueError, match="must lose 0 or more"):
        PrivacyLedger("all", 1.0, 1e-6).use("a", *loss)


def test_what_is_refused_leaves_no_trace() -> None:
    ledger = PrivacyLedger("all", 1.0, 1e-6)
    ledger.use("release", 0.5, 1e-6)
    before = record(ledger)
    for epsilon, delta in ((0.6, 0.0), (0.1, 1e-7)):
        with pytest.raises(Overdrawn):
            ledger.use("release", epsilon, delta)
        with pytest.raises(Overdrawn):
            ledger.part("part", epsilon, delta)
    assert record(ledger) == before


class Broke(PrivacyLedger):
    """A ledger with nothing left for uses, whose parts have nothing left either."""

    __slots__ = ()

    def use(self, *given, **more):
        raise Overdrawn("nothing is left")

    def part(self, *given, **more):
        made = super().part(*given, **more)
        made.__class__ = Broke
        return made


@pytest.mark.parametrize(
    "mechanism",
    [GrowingFinite(1.0, horizon=8), GrowingSparseInfinite(1.0), FullyDynamic(1.0), InsertedMinusDeleted(1.0)],
    ids=lambda mechanism: mechanism.kind,
)
def test_an_overdraft_raises_before_anything_is_drawn(mechanism) -> None:
    rng = ScriptedNoise()
    with pytest.raises(Overdrawn, match="nothing is left"):
        mechanism.start(rng, Broke("broke", 1.0)).step(1)
    assert rng.taken == 0


@pytest.mark.parametrize("kind", [FullyDynamic, InsertedMinusDeleted, GrowingSparseInfinite])
def test_a_ledger_stays_small_and_becomes_json(kind) -> None:
    run = kind(4.0).start(np.random.default_rng(1))
    for _ in range(20_000):
        run.step(1)
    said = json.dumps(record(run.ledger, depth=5))
    assert len(said) < 20_000
    assert json.loads(said)["spent"] == run.ledger.spent[0] <= 4.0 * (1 + 1e-9)
    assert len(list(lines(run.ledger))) < 250


def overdrawn(ledger: PrivacyLedger, name: str, *loss: float, **more: Any) -> str:
    with pytest.raises(Overdrawn) as found:
        ledger.use(name, *loss, **more)
    return str(found.value)


def test_a_budget_in_sequence() -> None:
    ledger = PrivacyLedger("b", 1.0, 1e-3)
    assert (ledger.rule, ledger.over, ledger.spent) == ("sequence", None, (0, 0))
    ledger.use("one", 0.25, 4e-4)
    ledger.use("one", 0.25)
    part = ledger.part("inner", 0.25, 5e-4, over=(3, 4))
    assert (part.name, part.epsilon, part.delta, part.rule, part.over) == ("inner", 0.25, 5e-4, "sequence", (3, 4))
    assert ledger.spent == (0.5, 4e-4)  # the part has spent nothing yet
    part.use("x", 0.2, 1e-4)
    assert ledger.spent == (pytest.approx(0.7), pytest.approx(5e-4))
    assert overdrawn(ledger, "two", 0.5) == "b: two asks for epsilon 0.5, and 0.25 of 1 are left"
    assert overdrawn(ledger, "two", 0.1, 0.01) == "b: two asks for delta 0.01, and 0.0001 of 0.001 are left"
    ledger.use("two", 0.25 * (1 + 1e-10), 1e-4)
    assert overdrawn(ledger, "three", 0.01) == "b: three asks for epsilon 0.01, and 0 of 1 are left"
    use = ledger.uses["one"]
    assert (use.count, use.epsilon, use.delta, use.largest) == (2, 0.5, 4e-4, (0.25, 4e-4))
    with pytest.raises(ValueError, match=r"^rule must be one of sequence, parallel; got 'none'$"):
        PrivacyLedger("b", 1.0, rule="none")  # type: ignore[arg-type]


def test_closed_parts_are_forgotten_but_for_the_costliest() -> None:
    ledger = PrivacyLedger("p", 1.0, rule="parallel")
    parts = []
    for place, loss in enumerate((0.3, 0.9, 0.5), start=1):
        parts.append(ledger.part("x", 1.0, over=(place, place)))
        parts[-1].use("u", loss)
    other = ledger.part("y", 0.25, over=(9, 9))
    for part in parts:
        ledger.close(part)
    assert ledger.parts == [parts[1], other]
    assert ledger.made == {"x": 3, "y": 1}
    assert ledger.spent == (0.9, 0)
    shown = record(ledger)
    assert [(part["name"], part["count"], part["spent"]) for part in shown["parts"]] == [("x", 3, 0.9), ("y", 1, 0)]
    assert record(ledger, depth=0)["parts"] == []
    assert record(ledger, depth=1)["parts"][0]["parts"] == []
    assert list(lines(ledger)) == list(lines(shown)) == [
        "p: 0.9 of epsilon 1, in parallel",
        "  x: 0.9 of epsilon 1, in sequence (the costliest of 3)",
        "    u: 0.9",
        "  y: 0 of epsilon 0.25, in sequence",
    ]  # fmt: skip
    several = PrivacyLedger("s", 1.0, 0.01)
    for _ in range(1200):
        several.use("v", 1e-5, 1e-6)
    assert list(lines(several)) == [
        "s: 0.012 of epsilon 1 and delta 0.01, in sequence",
        "  v: 0.012 and delta 0.0012 (1,200 times)",
    ]
