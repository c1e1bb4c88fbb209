"""The doubling tracker: a public number within a factor four of the items, without randomness.

Each site reports its count when it has doubled since its last report. When the sum of these reports has doubled since
it was last announced, it is announced again. So the announced number is at most the number of items, which stays below
four times it.

Source
------
Huang, Yi, Zhang 2012, section 2, recalled.
"""

from __future__ import annotations

import numpy as np

from disttrack.mechanisms.rules.blocks import Counts


def next_double(reported: Counts) -> Counts:
    """Return the next number to report after `reported`: twice that, at least 1.

    For a site's own count, reported to the server, and for the sum of these reports, announced to the sites. Takes
    one number or an array.

    Examples
    --------
    >>> [next_double(reported) for reported in (0, 1, 2, 5)]
    [1, 2, 4, 10]
    """
    return np.maximum(1, 2 * reported) if isinstance(reported, np.ndarray) else doubled(reported)


def doubled(reported: int) -> int:
    """Return `next_double` of one number."""
    return max(1, 2 * reported)
