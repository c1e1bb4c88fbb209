"""The tables that the end of a run shows, made of its results once and kept beside them.

Nothing here imports pandas unless they must be made.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.experiments.results.answers import AnswerTable, answer_table
from disttrack.simulator.experiments.results.answers import Column as Answered
from disttrack.simulator.experiments.results.files import write_text
from disttrack.simulator.experiments.results.stored import ANSWERS, note_written
from disttrack.simulator.experiments.scenario.settings import SIDES
from disttrack.simulator.shown.plots.unchanged import Drawing
from disttrack.simulator.shown.terminal.tables import Column, Table

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.folder import Results

FEW: Final = 6
"""Rows of a table of games up to which no table of pairs is needed."""
STYLE: Final = "terminal"
"""The name of these tables among what is drawn of a result."""


POINT: Final = "point"
"""Header of the column that numbers the points."""
TABLE: Final = "table.txt"
"""The file in the folder of a result with the table of its games."""


def answered(results: Results, *, paired: bool) -> tuple[AnswerTable, Table, Table]:
    """Return the table of a result's points, the same to be printed, and that of its pairs, if they may be `paired`.

    They are those in its folder as long as `Drawing` finds that they would be made again as they are; `TABLE` is
    written when they are made. Tables that do not read back equal, such as those with a value that is no number, are
    made each time.
    """
    numbered = results.task.replayed
    drawing, path, text = Drawing(results, None, STYLE), results.dir / ANSWERS, results.dir / TABLE
    if drawing.files():
        answers, pairs = _read(path.read_text(encoding="utf-8"))
        return answers, games_table(answers, numbered=numbered), pairs
    answers = answer_table(results)
    pairs = pairs_table(results) if paired and len(answers.texts) > FEW else Table("", [], [], notes=[])
    games = games_table(answers, numbered=numbered)
    write_text(text, "\n".join(games.lines(None)) + "\n", results.dir)
    if drawing.known:
        stored = json.dumps([asdict(answers), asdict(pairs)], default=repr)
        if _read(stored) == (answers, pairs):
            write_text(path, stored, results.dir)
            note_written(results.dir, [path])
            drawing.keep([path, text])
    return answers, games, pairs


def games_table(answers: AnswerTable, *, numbered: bool = False) -> Table:
    """Return the table that answers the question: one row per point, with the meaning of each measured column.

    If `numbered`, the points have a column too, which is the first to be left out in narrow tables.
    """
    meanings = answers.meanings
    columns = [
        Column(one.header, right=one.header not in SIDES, rank=one.rank, says=meanings.get(one.header, ""))
        for one in answers.columns
    ]
    rows: list[Sequence[str]] = [*answers.texts]
    if numbered and len(rows) > 1:
        columns.insert(0, Column(POINT, right=True, rank=1 + max(one.rank for one in columns)))
        rows = [(f"{point:,}", *row) for point, row in zip(answers.points, rows, strict=True)]
    return Table(answers.title, columns, rows, answers.subtitle)


def pairs_table(results: Results) -> Table:
    """Return who fails against whom, from where on, and the costs: a row per protocol and adversary."""
    from disttrack.simulator.experiments.results.pairs import TEXTS, columns, pairs
    from disttrack.simulator.experiments.results.read import tables_of

    tables = tables_of(results)
    ranks = {"at": 1, "error/alpha": 2}
    listed = pairs(tables)
    shown = [Column(name, name not in TEXTS, ranks.get(name, 0), says) for name, says in columns(tables, listed)]
    rows = [list(pair.cells) for pair in listed]
    return Table("Protocols and adversaries", shown, rows, notes=[])  # as it is read back


def _read(text: str) -> tuple[AnswerTable, Table]:
    """Return both tables from their text."""
    answers, pairs = json.loads(text)
    columns = tuple(Answered(**one) for one in answers.pop("columns"))
    rows: dict[str, Any] = {name: tuple(map(tuple, answers.pop(name))) for name in ("values", "texts")}
    flat: dict[str, Any] = {name: tuple(answers.pop(name)) for name in ("points", "missed")}
    shown = [Column(**one) for one in pairs.pop("columns")]
    return AnswerTable(columns=columns, **rows, **flat, **answers), Table(columns=shown, **pairs)
