"""The values of a figure in a page: those of its description, true beyond the scale, names where an axis has words."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import numpy as np

from disttrack.simulator.shown.plots.base import Picture
from disttrack.simulator.shown.plots.description import (
    Area,
    Axis,
    Bars,
    Cells,
    Description,
    Fill,
    Item,
    Look,
    Panel,
    Series,
)
from disttrack.simulator.shown.report.figures import STROKES, figures, values_of

LOOK = Look("#0072B2", "o")
FILL = Fill("#0072B2")
EVIL = "<script>alert('x')</script>"


def values(*items: Item, x: Axis = Axis(), y: Axis = Axis()) -> list[dict[str, object]]:  # noqa: B008
    made = values_of(Description([Panel(items, x, y)], 1, 3.0, "title"))
    return json.loads(json.dumps(made, allow_nan=False))["parts"]  # type: ignore[no-any-return]


def test_values_beyond_the_scale_are_the_true_ones_and_drawn_at_its_edge() -> None:
    error = Axis("error", "log", edges=(0.1, 5.0))
    line = Series("a", [1, 2, 3], [0.001, 2.5, inf], LOOK, low=[0.001, 2, 4.5], high=[0.001, 3, inf])
    (part,) = values(Area("a", [1, 2, 3], line.low, line.high, FILL), line, y=error)
    assert part["rows"] == [[1, 0.001, 0.001, 0.001], [2, 2.5, 2, 3], [3, "infinite", 4.5, "infinite"]]
    assert part["at"] == [[1, 0.1], [2, 2.5], [3, 5]]


def test_an_area_without_a_line_has_its_ends_and_missing_values_none() -> None:
    area, line = values(Area("a", [1], [0.5], [2.5], FILL), Series("b", [1, 2], [np.nan, 4], LOOK, "bound"))
    assert (area["role"], area["rows"]) == ("range", [[1, None, 0.5, 2.5]])
    assert (line["role"], line["rows"], line["at"]) == ("bound", [[1, None, None, None], [2, 4, None, None]], [])


def test_rows_and_columns_have_their_names() -> None:
    cells = Cells("failed", np.array([[0.25, np.nan, 1.0]]), [["3/4", "", "0/4"]], ("#fff", "#000"))
    (part,) = values(cells, x=Axis(names=["one", "two", "three"]), y=Axis(names=["robust $2^{20}$"]))
    named = [["one", "robust 2^20", 0.25, 0.25], ["two", "robust 2^20", None, None], ["three", "robust 2^20", 1, 1]]
    assert part["rows"] == named
    assert part["at"] == [[0, 0], [1, 0], [2, 0]]
    (bars,) = values(Bars("report", [1.5], [2.0], [0], FILL), y=Axis(names=["robust"]))
    assert (bars["rows"], bars["at"]) == ([[2, "robust", 1.5, 3.5]], [[3.5, 0]])


def test_names_cannot_become_markup(tmp_path: Path) -> None:
    svg = '<?xml?><svg width="1"><!-- a comment --><g id="a"/><use href="#a"/></svg>'
    made = Description([Panel([Series(EVIL, [1], [2], LOOK)], Axis(EVIL))], 1, 3.0, EVIL, note=EVIL)
    page = str(figures([Picture("f", tmp_path / "f.svg", EVIL, made, svg)]))
    assert "<script>alert" not in page
    assert f'<svg {STROKES} width="1"><g id="figure-1-a"/><use href="#figure-1-a"/></svg>' in page
