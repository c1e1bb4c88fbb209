"""The games of a page: the table that answers the question, errors, and what was said by kind of message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.pages.html import Html, facts, section
from disttrack.simulator.pages.tables import table
from disttrack.simulator.results.answers import AnswerTable, answer_table
from disttrack.simulator.results.files import is_inside
from disttrack.simulator.results.formats import number

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.results.folder import Results

MOST_ROWS: Final = 1000
"""Rows of the table; a longer one is cut, and says so."""
MOST_ERRORS: Final = 20_000
"""Letters of tracebacks that are shown."""


def games(results: Results) -> Html:
    """Return a row per point, with the columns that answer the question of the task; failing rows are marked."""
    made = answer_table(results)
    rows = [_row(made, place) for place in range(len(made.texts))][:MOST_ROWS]
    lost = _lost(made)
    failing = {place for place, missed in enumerate(made.missed[:MOST_ROWS]) if missed and place not in lost}
    words = {place for place, column in enumerate(made.columns) if _worded(made, place) or column.header in ("source",)}
    text = [Html("<p>{}.</p>", made.subtitle)]
    if failing or lost:
        text.append(Html("<p>Rows with a mark at their left: a game failed, or ended with an error.</p>"))
    if len(made.texts) > MOST_ROWS:
        text.append(Html("<p>The first {} of {} points; trials.csv has all.</p>", MOST_ROWS, f"{len(made.texts):,}"))
    right = set(range(len(made.columns))) - words
    shown = table(made.headers, rows, right, says="The games by point", failing=failing, lost=lost)
    meanings = Html("<details><summary>What the columns mean</summary>{}</details>", facts(made.meanings))
    return section("Games", *text, shown, meanings, anchor="games")


def _row(made: AnswerTable, place: int) -> list[Any]:
    """Return the cells of a row, those that are numbers with what they are sorted by."""
    pairs = zip(made.texts[place], made.values[place], strict=True)
    return [(text, float(value)) if _is_number(value) else text for text, value in pairs]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _worded(made: AnswerTable, column: int) -> bool:
    """Tell whether a column has words in it."""
    return any(isinstance(row[column], str | bool) for row in made.values)


def _lost(made: AnswerTable) -> set[int]:
    """Return the rows in which games were lost to an error."""
    if "errors" not in made.headers:
        return set()
    column = made.headers.index("errors")
    return {place for place, row in enumerate(made.values) if row[column]}


def errors(results: Results) -> Html:
    """Return the tracebacks of the games that were lost to errors; nothing if none was."""
    path = results.dir / "errors.txt"
    lost = int((results.trials["verdict"] == "error").sum()) or int(
        (results.manifest.get("games") or {}).get("errors") or 0
    )
    if not lost:
        return Html("")
    there = path.is_file() and is_inside(path, results.dir)
    told = path.read_text(encoding="utf-8", errors="replace") if there else ""
    cut = f"\n… errors.txt has all of it ({len(told):,} letters)" if len(told) > MOST_ERRORS else ""
    return section(
        "Errors",
        Html(
            "<p class='fault'>{} games ended with an error. They are left out of claims and figures.</p>", f"{lost:,}"
        ),
        Html(
            "<details open><summary>Tracebacks</summary><pre tabindex='0'>{}</pre></details>", told[:MOST_ERRORS] + cut
        )
        if told
        else Html(""),
        anchor="errors",
    )


def kinds(trials: pd.DataFrame, found: pd.DataFrame) -> Html:
    """Return the words of each kind of message, on average over all games of a protocol."""
    if found.empty:
        return Html("")
    named = found.drop(columns=[column for column in ("protocol",) if column in found])
    named = named.merge(trials[["result", "point", "trial", "protocol"]], on=["result", "point", "trial"])
    played = trials.groupby("protocol", sort=False).size()
    sums = named.groupby(["protocol", "kind", "direction"], sort=False)[["messages", "words", "bits"]].sum()
    rows = []
    for key, row in sums.iterrows():
        protocol, kind, direction = key if isinstance(key, tuple) else (key, "", "")
        way = {"up": "site to server", "down": "server to site"}.get(str(direction), str(direction))
        means = (float(row[what]) / int(played[protocol]) for what in ("messages", "words", "bits"))
        rows.append([protocol, kind, way, *((number(mean), mean) for mean in means)])
    heads = ["protocol", "kind", "direction", "messages", "words", "bits"]
    says = "Messages by kind: means over all games of each protocol"
    return section("Messages by kind", table(heads, rows, (3, 4, 5), says=says), anchor="messages")
