"""Tables of numbers on the pages are compared with results or formulas, cell by cell, or say how they were measured."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Final

import pytest
from core_numbers import TABLES
from environments import GONE
from number_tables import PAGES, ROOT, Compared, differences, found, number_tables

WINGS: Final = [path.stem.removeprefix("numbers_of_") for path in sorted(ROOT.glob("tests/*/numbers_of_*.py"))]
ENTRIES: Final = [
    *TABLES,
    *(entry for wing in WINGS for entry in import_module(f"tests.{wing}.numbers_of_{wing}").TABLES),
]
COMPLETE: Final = pytest.mark.skipif(bool(GONE), reason="tables of the core's pages show scenarios of wings")
COMPARED: Final = [entry for entry in ENTRIES if entry.cells]


@pytest.mark.parametrize("entry", [entry for entry in COMPARED if not entry.slow], ids=str)
def test_each_cell_is_its_value(entry: Compared) -> None:
    assert [*differences(entry)] == []


@pytest.mark.drawn(4)
@pytest.mark.slow
@pytest.mark.parametrize("entry", [entry for entry in COMPARED if entry.slow], ids=str)
def test_each_cell_that_takes_long_is_its_value(entry: Compared) -> None:
    assert [*differences(entry)] == []


@COMPLETE
def test_every_table_of_numbers_has_an_entry() -> None:
    """A new table needs one in `core_numbers.py`, or in `numbers_of_WING.py`."""
    entered = Counter(str(table) for entry in ENTRIES if (table := found(entry)))
    assert entered == Counter(str(table) for table in number_tables())
    assert len(entered) >= 30


def test_an_entry_is_of_a_table_that_is_there() -> None:
    assert [str(entry) for entry in ENTRIES if entry.page in PAGES and found(entry) is None] == []
    assert [str(entry) for entry in ENTRIES if entry.elsewhere and entry.page not in text_of(entry.elsewhere)] == []


def text_of(test: str) -> str:
    return (ROOT / test).read_text(encoding="utf-8")


@COMPLETE
def test_most_numbers_are_compared() -> None:
    """Tables without any comparison are of formulas, of a machine, or of searches that take minutes."""
    assert all(entry.by_hand for entry in ENTRIES if not entry.cells and not entry.elsewhere)
    assert sum(bool(entry.cells or entry.elsewhere) for entry in ENTRIES) >= 23
