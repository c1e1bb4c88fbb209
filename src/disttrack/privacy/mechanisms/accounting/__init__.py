"""Privacy budgets: a ledger that refuses overdrawing.

>>> budget = PrivacyLedger("game", epsilon=1.0)
>>> halves = [budget.part(name, 0.5, rule="parallel") for name in ("left", "right")]
>>> halves[0].use("release", 0.5, over=(1, 10))
>>> halves[0].use("release", 0.5, over=(11, 20))
>>> budget.spent
(0.5, 0.0)
>>> try:
...     budget.use("one more", 0.1)
... except Overdrawn as error:
...     print(error)
game: one more asks for epsilon 0.1, and 0 of 1 are left
"""

from __future__ import annotations

from disttrack.privacy.mechanisms.accounting.privacy_ledger import Overdrawn, PrivacyLedger, lines, record

__all__ = ["Overdrawn", "PrivacyLedger", "lines", "record"]
