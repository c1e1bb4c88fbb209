"""The adversary that looks its next site up in a table, by all that it has seen and done: for tiny games."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor
from pathlib import Path
from typing import Any, ClassVar, Final

from disttrack.adversaries.adaptive import MIXER
from disttrack.adversaries.base import ALPHA, Adversary, View, estimate
from disttrack.adversaries.recorded import Text
from disttrack.adversaries.schedules import Burst, Schedule

BITS: Final = 2**64 - 1
ONE: Final = 2**21
"""An item of a site, in the number that stands for its items and for those since its last change."""
ROUNDING: Final = 1e-9


@dataclass
class Tabular(Adversary):
    """Plays the moves of a table, as `disttrack attack` writes it for tiny games.

    It knows of each site its items, and those since the output last changed with an item to this site; the sites are
    ordered by these two numbers, equal ones as before, so that their names do not matter. An entry of the table is the
    place in this order of the site to feed. Its key is the digest of the history: of these numbers and the output while
    every output has been exact, and then of each place fed, with the output after it. Where the table has no entry for
    the history, it may have one for the present numbers and output alone; else place 0 is fed. An output counts as the
    number of items up to which it is not too low.

    Parameters
    ----------
    file
        JSON, an object: the keys as hexadecimal numbers, and the places.
    table
        The same, given directly; one of the two must be given.

    Source
    ------
    derived; the table is learned in games (`attack.search.table_search`).
    """

    kind: ClassVar[str] = "table"
    each_item: ClassVar[bool] = True
    draws_coins: ClassVar[bool] = False

    file: Text | None = None
    table: dict[str, int] | None = None
    _places: dict[int, int] = field(init=False, repr=False, compare=False)
    _rows: list[int] = field(init=False, repr=False, compare=False, default_factory=list)
    _order: list[int] = field(init=False, repr=False, compare=False, default_factory=list)
    _key: int = field(init=False, repr=False, compare=False, default=0)
    _place: int = field(init=False, repr=False, compare=False, default=0)
    _changes: int = field(init=False, repr=False, compare=False, default=0)
    _exact: bool = field(init=False, repr=False, compare=False, default=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.file is None) == (self.table is None):
            raise ValueError("file or table must be given, and not both")
        try:
            data = self.table if self.file is None else json.loads(Path(self.file).expanduser().read_text("utf-8"))
            self._places = _read(data)
        except (OSError, ValueError, RecursionError) as error:
            name = "table" if self.file is None else f"file {self.file!r}"
            raise ValueError(f"{name}: {getattr(error, 'strerror', None) or error}") from error

    def plan(self, view: View) -> Schedule:
        until = lasts(estimate(view), float(view.known.get("alpha") or ALPHA))
        if view.steps:
            self._take(view, until)
        else:
            self._rows, self._order = [0] * view.sites, list(range(view.sites))
        seen = added(0, until) & BITS
        for site in self._order:
            seen = added(seen, self._rows[site]) & BITS
        self._key = seen if self._exact else self._key
        self._place = min(self._places.get(self._key, self._places.get(seen, 0)), view.sites - 1)
        return Burst(self._order[self._place], 1)

    def _take(self, view: View, until: int) -> None:
        """Add the item that was sent last, and the output after it, to the history."""
        fed, changed = self._order[self._place], view.changes != self._changes
        self._changes = view.changes
        self._exact = self._exact and view.output == view.start + view.sent
        self._key = added(added(self._key, self._place) & BITS, until) & BITS
        self._rows[fed] = fed_row(self._rows[fed], changed)
        self._order.sort(key=self._rows.__getitem__)


def added(key: Any, number: Any) -> Any:
    """Return the digest of a history and one number more, modulo 2^64; for numbers, or for arrays of them."""
    return (key ^ (key >> 29) ^ (number + 1)) * MIXER


def fed_row(row: int, changed: bool) -> int:
    """Return the number of a site after an item to it."""
    return (row + ONE) // ONE * ONE if changed else row + ONE + 1


def lasts(output: float, alpha: float) -> int:
    """Return the number of items up to which an output is not too low."""
    return floor(output / (1 - alpha) + ROUNDING)


def _read(table: object) -> dict[int, int]:
    """Return a table by numbers; ValueError if it is malformed."""
    if not isinstance(table, Mapping):
        raise ValueError(f"must be an object of keys and places; got {type(table).__name__}")
    for key, place in table.items():
        if isinstance(place, bool) or not isinstance(place, int) or place < 0:
            raise ValueError(f"the place of {key!r} must be a whole number of at least 0; got {place!r}")
    return {int(str(key), 16): place for key, place in table.items()}
