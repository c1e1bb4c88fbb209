"""Further limits of a quota, such as `250/3000`: how they are written, and with what they cannot be kept."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

from disttrack.adversaries.quantities import duration
from disttrack.fleet.quotas.amounts import LARGEST

LIMIT: Final = re.compile(r"(\d{1,19})/([1-9]\d{0,18}|.*[a-z])")
"""A further limit and its window, in steps or as a length of time."""
PLAIN: Final[dict[str, tuple[Any, str]]] = {
    "shape": ("window", "whose slots each limit would count in its own way"),
    "clock": ("store", "which would number windows of each limit"),
    "skew": (0, "as permits of a window come back at its end by the server's clock"),
    "reserve": (0, "as a cost that is known late would not reach the windows that go on"),
    "charge": ("admitted", "as what one refuses would cost the others"),
    "timeout": (0, "whose shares are of one limit"),
    "upfront": (0, "which no limit but the first knows"),
}
"""What these parameters are where further limits are kept, and why."""


def texts_of(limits: object) -> list[str]:
    """Return the text of each limit, of one text with spaces between or of a list; one empty text of anything else."""
    texts = limits.split() if isinstance(limits, str) else limits
    return [str(text) for text in texts] if isinstance(texts, list | tuple) else [""]


def lasting_of(limits: object) -> str:
    """Return the limits whose windows are lengths of time, which only a trace with a step has in steps."""
    return " ".join(text for text in texts_of(limits) if not text.partition("/")[2].isdigit())


def pairs_of(limits: object) -> list[tuple[int, int]]:
    """Return the limits and their windows, in steps.

    Raises
    ------
    ValueError
        The window of one is a length of time.

    Examples
    --------
    >>> pairs_of("250/3000 900/30000")
    [(250, 3000), (900, 30000)]
    """
    if lasting := lasting_of(limits):
        raise ValueError(f"limits must be in steps without a trace that has a step; got {lasting}")
    return [(int(limit), int(window)) for limit, window in (text.split("/") for text in texts_of(limits))]


def divided(limits: object, pace: int, step: Fraction | None) -> str:
    """Return the limits for steps that are divided into `pace` each, of this many seconds by a trace that has any."""
    pairs = (text.split("/") for text in texts_of(limits))
    return " ".join(f"{limit}/{pace * steps_in(window, step)}" for limit, window in pairs)


def steps_in(window: str, step: Fraction | None) -> int:
    """Return the steps of a window, which may be a length of time.

    Raises
    ------
    ValueError
        It has no whole number of steps.

    Examples
    --------
    >>> steps_in("300", None), steps_in("15min", Fraction(1, 10))
    (300, 9000)
    """
    if window.isdigit():
        return int(window)
    steps = (duration(window) or 0) / step if step else Fraction(1, 2)
    if steps.denominator > 1:
        raise ValueError(f"limits must have windows of a whole number of the trace's steps; got {window}")
    return int(steps)


def check(quota: Any) -> None:
    """Refuse further limits that are none, whose windows do not end with windows, or that the quota cannot keep."""
    for text in texts_of(quota.limits):
        match = LIMIT.fullmatch(text)
        if not match or not (match[2].isdigit() or duration(match[2])):
            example = "250/3000, in steps, or with a log's step 250/day, with spaces between"
            raise ValueError(f"limits must be such as {example}; got {quota.limits!r:.60}")
        if not quota.dearest <= int(match[1]) <= LARGEST:
            least = f"the largest cost, {quota.dearest}"
            raise ValueError(f"limits must be from {least}, to {LARGEST:,}; got {match[1]}")
    for limit, window in [] if lasting_of(quota.limits) else pairs_of(quota.limits):
        if window % quota.window or window == quota.window:
            raise ValueError(f"limits must have windows of several times {quota.window} steps; got {limit}/{window}")
    for name, (plain, why) in PLAIN.items() if quota.limits else ():
        if (value := getattr(quota, name, plain)) != plain:
            raise ValueError(f"limits must be left out with {name} {value}, {why}; they are kept with {name} {plain}")
