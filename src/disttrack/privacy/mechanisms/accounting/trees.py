"""A ledger as plain values, for records of games, and as a text tree of the epsilon spent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from disttrack.privacy.mechanisms.accounting.privacy_ledger import PrivacyLedger


def record(ledger: PrivacyLedger, depth: int = 99) -> dict[str, object]:
    """Return a ledger as plain values for JSON: the budget, the loss spent, and the parts.

    For parallel parts, only the costliest of each name is included.

    Parameters
    ----------
    depth
        Levels of parts that are shown.

    Examples
    --------
    >>> budget = PrivacyLedger("tree", 1.0, rule="parallel")
    >>> budget.use("release", 0.5, over=(1, 2))
    >>> record(budget)["parts"]
    [{'name': 'release', 'count': 1, 'epsilon': 0.5, 'delta': 0.0, 'spent': 0.5}]
    """
    spent, spent_delta = ledger.spent
    shown = _costliest(ledger) if ledger.rule == "parallel" else ledger.parts
    counts = ledger.made if ledger.rule == "parallel" else {}
    parts = [{"count": counts.get(part.name, 1), **record(part, depth - 1)} for part in shown] if depth else []
    for name, use in ledger.uses.items() if depth else ():
        most = use.largest if ledger.rule == "parallel" else (use.epsilon, use.delta)
        parts.append({"name": name, "count": use.count, "epsilon": most[0], "delta": most[1], "spent": most[0]})
    head: dict[str, object] = {
        "name": ledger.name,
        "rule": ledger.rule,
        "epsilon": ledger.epsilon,
        "delta": ledger.delta,
    }
    return {**head, "spent": spent, "spent_delta": spent_delta, "parts": parts}


def _costliest(ledger: PrivacyLedger) -> list[PrivacyLedger]:
    """Return the part of each name that has lost most."""
    names = dict.fromkeys(part.name for part in ledger.parts)
    return [max((part for part in ledger.parts if part.name == name), key=lambda part: part.spent) for name in names]


def lines(ledger: PrivacyLedger | dict[str, object]) -> Iterator[str]:
    """Yield a ledger, or its record, as lines of text: a tree with shares, rules and counts.

    Examples
    --------
    >>> budget = PrivacyLedger("tree", 1.0)
    >>> budget.use("count", 0.25)
    >>> print(*lines(budget), sep="\\n")
    tree: 0.25 of epsilon 1, in sequence
      count: 0.25
    """
    yield from _lines(record(ledger) if isinstance(ledger, PrivacyLedger) else ledger, "")


def _lines(entry: dict[str, Any], margin: str) -> Iterator[str]:
    times = f" (the costliest of {entry['count']:,})" if entry.get("count", 1) > 1 else ""
    if "rule" not in entry:
        times = f" ({entry['count']:,} times)" if entry["count"] > 1 else ""
        yield f"{margin}{entry['name']}: {entry['spent']:.4g}{_delta(entry['delta'])}{times}"
        return
    how = {"sequence": "in sequence", "parallel": "in parallel"}
    of = f"{entry['spent']:.4g} of epsilon {entry['epsilon']:.4g}{_delta(entry['delta'])}"
    yield f"{margin}{entry['name']}: {of}, {how[entry['rule']]}{times}"
    for part in entry["parts"]:
        yield from _lines(part, margin + "  ")


def _delta(delta: float) -> str:
    return f" and delta {delta:.3g}" if delta else ""
