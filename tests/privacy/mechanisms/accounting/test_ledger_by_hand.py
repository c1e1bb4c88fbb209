"""Budgets by hand: in sequence and in parallel, with what their refusals say."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.privacy.mechanisms import Overdrawn, PrivacyLedger
from disttrack.privacy.mechanisms.accounting.privacy_ledger import lines, record


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
