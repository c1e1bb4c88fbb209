"""Families of linear queries over a finite domain: their evaluation, and their sensitivity to one item.

>>> import numpy as np
>>> prefixes = family("intervals:3", 4)
>>> prefixes.number, family("marginals:2", 8).l1
(3, 3.0)
>>> family("axes:2", 6).evaluate(np.array([1.0, 0.0, 0.0, 2.0, 0.0, 5.0]))
array([1., 7., 3., 0., 5.])
"""

from __future__ import annotations

from disttrack.privacy.mechanisms.queries.families import FAMILIES, Family, family

__all__ = ["FAMILIES", "Family", "family"]
