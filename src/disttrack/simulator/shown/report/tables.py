"""The tables of a page: the points, protocols and adversaries, errors, and the claims with their controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.experiments.claims.findings import MEANINGS, NO_CONTROL_FAILS, SKIPPED, UNDECIDED
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.files import is_inside
from disttrack.simulator.experiments.results.formats import cell
from disttrack.simulator.experiments.results.pairs import TEXTS, columns
from disttrack.simulator.experiments.results.pairs import pairs as listed
from disttrack.simulator.experiments.results.stored import ERRORS, Plain
from disttrack.simulator.game.columns import ERROR
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.claims import HEADS, cells_of
from disttrack.simulator.shown.pages.html import Html, facts, joined, section, table, verdict

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.experiments.results.folder import Results
    from disttrack.simulator.experiments.results.read import Tables

MOST_ROWS: Final = 1000
"""Rows of the table; the rest of a longer one is counted."""
POINT: Final = "for disttrack replay --point"
"""Meaning of the first column."""
MOST_ERRORS: Final = 20_000
"""Letters of tracebacks that are shown."""


def games(results: Results, most: int = MOST_ROWS, *, folded: bool = True) -> Html:
    """Return a row per point, with the columns that answer the question of the task; failing rows are marked.

    `folded` is as for `meanings`.
    """
    made = answer_table(results)
    columns = list(zip(*made.values, strict=True))
    words = {place for place, values in enumerate(columns) if any(isinstance(value, str | bool) for value in values)}
    rows = [
        [text if place in words or value is None else (text, float(value)) for place, (text, value) in enumerate(pairs)]
        for pairs in (zip(*row, strict=True) for row in zip(made.texts, made.values, strict=True))
    ]
    there = "errors" in made.headers
    lost = {place for place, row in enumerate(made.values) if there and row[made.headers.index("errors")]}
    failing = {place for place, missed in enumerate(made.missed) if missed and place not in lost}
    text = [Html("<p>{}.</p>", made.subtitle)]
    if len(rows) > most:
        text.append(Html("<p>{} of {} points; all: trials.csv</p>", most, f"{len(rows):,}"))
    heads, right, says = made.headers, set(range(len(made.columns))) - words, made.meanings
    if len(rows) > 1:
        heads, right, says = ["point", *heads], {0, *(place + 1 for place in right)}, {"point": POINT, **says}
        rows = [[(f"{point:,}", float(point)), *row] for point, row in zip(made.points, rows, strict=True)]
    shown = table(heads, rows[:most], right, says="The games by point", failing=failing, lost=lost)
    return section("Games", *text, shown, meanings(says, folded=folded))


def meanings(says: Mapping[str, str], *, folded: bool = True) -> Html:
    """Return what columns mean: folded away, which is not printed, or in sight."""
    if not folded:
        return facts({name: text for name, text in says.items() if text})
    return Html("<details><summary>Columns</summary>{}</details>", facts(says))


def pairs(tables: Tables, most: int | None = None, *, folded: bool = True) -> Html:
    """Return who fails against whom, from where on, and the costs, if anything was promised: a row per pair.

    Parameters
    ----------
    most
        The rows that are shown; the others are counted.
    folded
        As for `meanings`.
    """
    every = listed(tables)
    made = every[:most]
    cells = [pair.cells for pair in made]
    there = [(place, *column) for place, column in enumerate(columns(tables, made)) if any(row[place] for row in cells)]
    rows = [[row[place] for place, *_ in there] for row in cells]
    heads = [head for _, head, _ in there]
    right = {at for at, head in enumerate(heads) if head not in TEXTS}
    failing = {place for place, pair in enumerate(made) if pair.broken}
    says = {head: meaning for _, head, meaning in there if meaning}
    cut = [f"{len(made)} of {count(len(every), 'pair')}; all: report.html"] * (len(made) < len(every))
    notes = joined([Html("<p>{}</p>", one) for one in cut])
    shown = table(heads, rows, right, says="Protocols and adversaries", failing=failing)
    return Html("{}{}{}", shown, meanings(says, folded=folded), notes) if made else Html("")


def errors(results: Results) -> Html:
    """Return the tracebacks of the games that were lost to errors; nothing if none was."""
    path = results.dir / ERRORS
    lost = int((results.trials.verdict == ERROR).sum())
    if not lost:
        return Html("")
    there = path.is_file() and is_inside(path, results.dir)
    traces = path.read_text(encoding="utf-8", errors="replace") if there else ""
    cut = f"\n… all in errors.txt ({len(traces):,} letters)" if len(traces) > MOST_ERRORS else ""
    says = f"{count(lost, 'game')} ended in an error, left out of claims and figures."
    folded = "<details open><summary>Tracebacks</summary><pre tabindex='0'>{}</pre></details>"
    shown = Html(folded, traces[:MOST_ERRORS] + cut) if traces else Html("")
    return section("Errors", Html("<p class='fault'>{}</p>", says), shown)


def claims(outcomes: pd.DataFrame, scenario: Plain, *, brief: bool = False) -> Html:
    """Return the section; `scenario` has the claims as they were written, with the reasons for having no control.

    If it is `brief`, it has verdict, measured value, bound and claim, and nothing without claims.
    """
    if outcomes.empty:
        none = section("Claims", Html("<p>The scenario makes no claims.</p>"))
        return Html("") if brief else none
    written = {str(claim.get("name")): claim for claim in scenario.get("claims") or []}
    records: list[Any] = [*outcomes.itertuples()]
    rows: list[list[object]] = []
    for row in records:
        claim = written.get(row.name, {})
        _, title, measured, bound, control, ends, number_of_games, alarm, power = cells_of(row)
        measure = " where ".join(filter(None, (row.measure, cell(row.where))))
        broken = ("none", claim["no_control"]) if claim.get("no_control") else (control, cell(row.broken))
        why = Html("<br><small>{}</small>", row.note) if cell(row.note) not in ("", measured) else Html("")
        rows.append(
            [
                verdict(row.verdict),
                (measured, row.value),
                bound,
                Html("{}{}<br><code>{}</code>{}", title, _source(claim), measure, why),
                (Html("{}<br><small>{}</small>", *broken), row.control),
                (ends, row.low),
                (number_of_games, row.games),
                (alarm, row.false_alarm),
                (power, row.power),
            ]
        )
    held = int((outcomes.verdict == "PASS").sum())
    text = Html("<p>Held: {} of {}.</p>", held, len(outcomes))
    open_ones = {place for place, row in enumerate(records) if row.verdict in (UNDECIDED, SKIPPED)}
    failing = {place for place, row in enumerate(records) if row.verdict != "PASS"} - open_ones
    heads = [HEADS[0], *HEADS[2:4], HEADS[1], *HEADS[4:]]  # on a phone the value stands beside the verdict
    told = heads.index("claim")
    shown = told + 1 if brief else len(heads)
    made = table(
        heads[:shown],
        [row[:shown] for row in rows],
        {*range(1, shown)} - {told, heads.index("control")},
        says="Claims and measured values",
        failing=failing,
        lost=open_ones,
    )
    undecided = f"{UNDECIDED}: games with errors, ended early or without a verdict, or a misspelt name"
    says = MEANINGS | {"verdict": f"{NO_CONTROL_FAILS}; {undecided}; {SKIPPED}: no games, or too few"}
    return section("Claims", text, made, *([] if brief else [meanings(says)]))


def _source(claim: Plain) -> Html:
    """Return the statements that a claim tests."""
    source = claim.get("source")
    names = ", ".join(source) if isinstance(source, list) else source
    return Html(" <small class='quiet'>({})</small>", names) if names else Html("")
