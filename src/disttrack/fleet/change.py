"""Plans of games of quotas: sites that come into a fleet or go, and a request that may have been refused before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from disttrack.adversaries.schedules import Burst, Rest, whole


class Change(Rest):
    """One step without an item, in which sites come into a fleet or go; only in games of quotas.

    Parameters
    ----------
    how
        ``join``; ``leave``, with a last message; or ``die``, without one.
    changed
        The sites.
    """

    __slots__ = ("changed", "how")

    def __init__(self, how: Literal["join", "leave", "die"], changed: Sequence[int]) -> None:
        super().__init__()
        if how not in ("join", "leave", "die"):
            raise ValueError(f"how must be join, leave or die; got {how!r}")
        self.how = how
        self.changed = tuple(whole("site of a change", site) for site in changed)

    def named(self) -> tuple[int, int]:
        return (min(self.changed), max(self.changed)) if self.changed else (0, -1)

    def first_step(self, site: int) -> int:
        return 1


class Try(Burst):
    """One request, in one step.

    Parameters
    ----------
    site
        The site.
    since
        The step in which its client first wanted it: what it waits is counted from there.
    """

    __slots__ = ("since",)

    def __init__(self, site: int, since: int) -> None:
        super().__init__(site, 1)
        self.since = since
