"""Conformance tries the bound of a quota where it breaks: faults of many sites, rests, cuts and copies are found.

The faults were listed before the check was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import pytest

from disttrack.fleet import conformance
from disttrack.fleet.quotas import Lease, Quota, Split
from disttrack.fleet.quotas.amounts import even_share
from disttrack.fleet.quotas.lease_parts import LeaseSite
from disttrack.fleet.quotas.shares import SplitSite
from disttrack.protocols.base import Message
from disttrack.simulator.workshop.conformance import ConformanceError, untested

SIZES: dict[str, Any] = {"limit": 10, "window": 30}
class RoundedUp(SplitSite):
    """Rounds its share up if there are more sites than 7."""

    def open(self) -> Sequence[Message]:
        super().open()
        self.left = -(-self.rule.limit // self.k) if self.k > 7 else self.left
        return ()


class CarriedOver(SplitSite):
    """Keeps what it has not spent."""

    def turn(self) -> Sequence[Message]:
        before = self.left
        messages = super().turn()
        self.left += before
        return messages


class Saving(SplitSite):
    """Keeps its share of a window in which nothing was asked, if it is alone."""

    def turn(self) -> Sequence[Message]:
        saved = self.left if self.k == 1 and self.left >= self.rule.limit else 0
        messages = super().turn()
        self.left += saved
        return messages


class OnItsOwn(LeaseSite):
    """Takes its even share for each window that begins while an answer is missing."""

    def open(self) -> Sequence[Message]:
        alone = bool(getattr(self, "_open", None))
        messages = super().open()
        self.left += even_share(self.rule.limit, self.k, self.number) * alone
        return messages


class Twice(LeaseSite):
    """Takes a lease whenever its message comes."""

    def heard(self, message: Message) -> Sequence[Message]:
        self._open.setdefault(message.value[2], 1)
        return super().heard(message)


def faulty(base: type[Quota], site: type[Any]) -> type[Quota]:
    """Return a kind with this site, which promises what the right one does."""

    @dataclass(frozen=True)
    class Faulty(base):  # type: ignore[misc, valid-type]
        """Has a fault."""

        guarantee = "always"
        slack = base.slack

        def site(self, number: int, k: int, answers: Any) -> Any:
            return site(self, number, k, answers)

    return Faulty


def held(kind: type[Quota]) -> int:
    """Return in how many games a quota keeps its bound."""
    return len(list(conformance.CHECKS[conformance.BOUND](kind(**SIZES), (), 0)))


@pytest.mark.parametrize(
    ("base", "site", "where"),
    [
        (Split, RoundedUp, "16 sites, .* no latency"),
        (Split, CarriedOver, r"\d sites?"),
        (Split, Saving, "1 site, .* rests"),
        (Lease, OnItsOwn, "latency|a partition|loss"),
        (Lease, Twice, "duplication"),
    ],
)
def test_a_fault_of_a_site_is_found(base: type[Quota], site: type[Any], where: str) -> None:
    with pytest.raises(ConformanceError, match=f"^admits .* beyond the limit.*{where}"):
        held(faulty(base, site))


@pytest.mark.drawn(1)
@pytest.mark.parametrize("base", [Split, Lease])
def test_in_a_kind_without_a_fault_none_is_found(base: type[Quota]) -> None:
    assert held(base)


def test_a_quota_that_lost_its_bound_is_not_tried() -> None:
    lost = faulty(Split, SplitSite)(**SIZES)
    object.__setattr__(lost, "slack", lambda **given: inf)
    assert conformance.BOUND in untested(lost)
