"""Base class of mechanisms: parameters that check themselves, and the facts that each class states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from disttrack.mechanisms.checks import Checked
from disttrack.mechanisms.faults import FaultyPart
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
    """Arithmetic in which its privacy holds: grid, rounded, coins or real numbers; empty for none."""
    slowness: ClassVar[float] = 1.0
    """Time of its games over that of a usual mechanism of its kind, roughly: for estimates."""
    faults: ClassVar[Mapping[str, type[FaultyPart] | str]] = {}
    """The faults that it can have, and for each the mixin that breaks it, or ``module:Class``; those of its bases are
    added."""

    shortcuts: ClassVar = {"arithmetic": Shortcut("real")}
    descriptions = frozenset({"error", "slowness"})
