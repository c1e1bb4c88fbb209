"""The statements of the five papers that scenarios may name as the `source` of a claim, a module per paper.

A source is the name of a statement, with the paper's before it: `Threshold monitor: Theorem 1.9`. The paper's name may
be left out where only one paper has a statement of that name, and for those of the robust tracker, which most
scenarios are about.
"""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.continual_observation import CONTINUAL_OBSERVATION
from simulator.claims.statements.data_analysis import DATA_ANALYSIS
from simulator.claims.statements.dynamic_data import DYNAMIC_DATA
from simulator.claims.statements.robust_tracking import ROBUST_TRACKING
from simulator.claims.statements.statement import Paper, Statement, Tested
from simulator.claims.statements.threshold_monitor import THRESHOLD_MONITOR
from simulator.errors import nearest

__all__ = ["NAMES", "PAPERS", "STATEMENTS", "Paper", "Statement", "Tested", "key_of", "no_statement"]

PAPERS: Final = (ROBUST_TRACKING, DATA_ANALYSIS, THRESHOLD_MONITOR, CONTINUAL_OBSERVATION, DYNAMIC_DATA)
"""In the order in which docs/claims.md shows them."""


def _known() -> tuple[dict[str, Statement], dict[str, str]]:
    """Return the statements by their full names, and the full name by each name that a source may say."""
    statements = {paper.key(one): one for paper in PAPERS for one in paper.statements}
    sources = {key: key for key in statements}
    alone = [(one.name, paper.key(one)) for paper in PAPERS for one in paper.statements]
    names = [name for name, _ in alone]
    for name, key in alone:
        if names.count(name) == 1 or key.startswith(f"{ROBUST_TRACKING.name}: "):
            sources[name] = key
    return statements, sources


STATEMENTS, _SOURCES = _known()
"""Every statement, by the paper's name and its own."""

NAMES: Final = tuple(_SOURCES)
"""What `source:` may say."""


def key_of(source: str) -> str | None:
    """Return the full name of the statement that a source names; None if there is none or several.

    Examples
    --------
    >>> key_of("Lemma 5"), key_of("Dynamic data: Theorem 8"), key_of("Theorem 1.9")
    ('Robust tracking: Lemma 5', 'Dynamic data: Theorem 8', 'Threshold monitor: Theorem 1.9')
    """
    return _SOURCES.get(source)


def no_statement(source: str) -> str:
    """Return why a source names no statement, or not one.

    Examples
    --------
    >>> no_statement("Theorem 8")
    "is a statement of several papers: say 'Data analysis: Theorem 8' or 'Dynamic data: Theorem 8'"
    >>> no_statement("Lema 5")
    "is no statement; did you mean 'Lemma 5'? (docs/claims.md has them all)"
    """
    several = [repr(paper.key(one)) for paper in PAPERS for one in paper.statements if one.name == source]
    if several:
        return f"is a statement of several papers: say {' or '.join(several)}"
    return f"is no statement{nearest(source, NAMES)} (docs/claims.md has them all)"
