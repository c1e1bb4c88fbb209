"""Tables of a page: headings that sort, a filter, rows that are marked; plain tables where no script runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from disttrack.simulator.shown.pages.html import Html, joined

WIDE: Final = 12
"""Columns from which on a table is printed across."""
MANY: Final = 12
"""Rows from which on a table has a filter."""


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    right: Collection[int] = (),
    *,
    says: str,
    failing: Collection[int] = (),
    lost: Collection[int] = (),
) -> Html:
    """Return a table that can be sorted by each column and, where it is long, filtered.

    A cell that is a pair shows its first part and is sorted by its second, a number.

    Parameters
    ----------
    heads
        Headings, one a column.
    rows
        Cells: text, or pieces of markup, or pairs of one of these and a number.
    right
        Columns that are set flush right.
    says
        The caption.
    failing
        Rows that are marked as failing.
    lost
        Rows that are marked as lost to an error.
    """
    sides = [" class='right'" if place in right else "" for place in range(len(heads))]
    top = [
        Html("<th scope='col'{}><span>{}</span></th>", Html(side), head)
        for side, head in zip(sides, heads, strict=True)
    ]
    lines = []
    for place, row in enumerate(rows):
        marks = "failing" if place in failing else "lost" if place in lost else ""
        cells = [_cell(side, cell) for side, cell in zip(sides, row, strict=True)]
        lines.append(Html("<tr{}>{}</tr>\n", Html(" class='{}'", marks) if marks else Html(""), joined(cells)))
    return Html(
        "<div class='table{}'{}><div class='scroll' role='region' aria-label='{}' tabindex='0'>"
        "<table><caption>{}</caption><thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div></div>",
        " wide" if len(heads) >= WIDE else "",
        Html(" data-filter") if len(rows) >= MANY else Html(""),
        says,
        says,
        joined(top),
        joined(lines),
    )


def _cell(side: str, cell: object) -> Html:
    """Return a cell, with the number that it is sorted by if it has one."""
    if isinstance(cell, tuple):
        shown, key = cell
        return Html("<td{} data-key='{}'>{}</td>", Html(side), "" if key is None or key != key else repr(key), shown)
    return Html("<td{}>{}</td>", Html(side), cell)
