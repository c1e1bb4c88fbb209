"""The tables that the end of a run shows, made of its results once and kept beside them.

Nothing here imports pandas unless they must be made.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.experiments.results.answers import AnswerTable, answer_table
from disttrack.simulator.experiments.results.answers import Column as Answered
from disttrack.simulator.experiments.results.files import write_text
from disttrack.simulator.experiments.results.stored import ANSWERS, note_written
from disttrack.simulator.shown.plots.unchanged import Drawing
from disttrack.simulator.shown.terminal.tables import Column, Table

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.folder import Results

FEW: Final = 6
"""Rows of a table of games up to which no table of pairs is needed."""
STYLE: Final = "terminal"
"""The name of these tables among what is drawn of a result."""


def answered(results: Results, *, paired: bool) -> tuple[AnswerTable, Table]:
    """Return the table of a result's points, and that of its protocols and adversaries, if they may be `paired`.

    They are those in its folder as long as `Drawing` finds that they would be made again as they are. Tables that do
    not read back equal, such as those with a value that is no number, are made each time.
    """
    drawing, path = Drawing(results, None, STYLE), results.dir / ANSWERS
    if drawing.files():
        return _read(path.read_text(encoding="utf-8"))
    answers = answer_table(results)
    made = answers, pairs_table(results) if paired and len(answers.texts) > FEW else Table("", [], [], notes=[])
    if drawing.known:
        text = json.dumps([asdict(table) for table in made], default=repr)
        if _read(text) == made:
            write_text(path, text, results.dir)
            note_written(results.dir, [path])
            drawing.keep([path])
    return made


def pairs_table(results: Results) -> Table:
    """Return who fails against whom, from where on, and the costs: a row per protocol and adversary."""
    from disttrack.simulator.experiments.results.pairs import TEXTS, columns, exceeded, pairs
    from disttrack.simulator.experiments.results.read import tables_of

    tables = tables_of(results)
    ranks = {"at": 1, "error/alpha": 2}
    listed = pairs(tables)
    shown = [Column(name, name not in TEXTS, ranks.get(name, 0), says) for name, says in columns(tables, listed)]
    rows = [list(pair.cells) for pair in listed]
    return Table("Protocols and adversaries", shown, rows, notes=list(exceeded(tables)))


def _read(text: str) -> tuple[AnswerTable, Table]:
    """Return both tables from their text."""
    answers, pairs = json.loads(text)
    columns = tuple(Answered(**one) for one in answers.pop("columns"))
    rows: dict[str, Any] = {name: tuple(map(tuple, answers.pop(name))) for name in ("values", "texts")}
    flat: dict[str, Any] = {name: tuple(answers.pop(name)) for name in ("points", "missed")}
    shown = [Column(**one) for one in pairs.pop("columns")]
    return AnswerTable(columns=columns, **rows, **flat, **answers), Table(columns=shown, **pairs)
