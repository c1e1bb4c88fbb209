"""Base class of mechanisms: parameters that check themselves, and the facts that each class states."""

from __future__ import annotations

from typing import Any, ClassVar

from disttrack.mechanisms.checks import Checked
from disttrack.mechanisms.shortcuts import Shortcut


class Mechanism(Checked):
    """Parameters of a mechanism; subclasses are frozen dataclasses.

    Raises
    ------
    ValueError
        If a parameter is out of the range that the type of its field declares.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files."""
    error: ClassVar[str] = ""
    """Growth of the error, as text."""
    arithmetic: ClassVar[str] = "real"
    """Arithmetic in which its privacy holds: grid, rounded, coins or real numbers (docs/audits.md); empty for none."""
    slowness: ClassVar[float] = 1.0
    """Time of its games over that of a usual mechanism of its kind, roughly: for estimates."""

    shortcuts: ClassVar = {"arithmetic": Shortcut("real")}
    descriptions = frozenset({"error", "slowness"})


def kinds_of(names: dict[str, Any], base: Any) -> dict[str, Any]:
    """Return the classes among a module's names that extend `base`, by the kind that each states."""
    classes: list[Any] = [each for each in names.values() if isinstance(each, type) and issubclass(each, base)]
    return {each.kind: each for each in classes if each.kind}
