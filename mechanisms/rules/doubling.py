"""The doubling tracker: a number within a factor four of the items, that everybody knows and nobody has to toss for.

Each site reports its count when it has doubled since its last report. When the sum of these reports has doubled since
it was announced last, it is announced anew. So the number announced is at most the number of items, which stays below
four times of it.

Source
------
Huang, Yi, Zhang 2012, section 2, recalled.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def at_double(told: Any) -> Any:
    """Return the number at which one that was told last as `told` is told again: twice that, at least 1.

    Both of a site's own count, reported to the server, and of the sum of these reports, announced to the sites. Takes
    one number or an array.

    Examples
    --------
    >>> [at_double(told) for told in (0, 1, 2, 5)]
    [1, 2, 4, 10]
    """
    return np.maximum(1, 2 * told) if isinstance(told, np.ndarray) else max(1, 2 * told)
