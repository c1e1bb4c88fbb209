"""The page of a comparison: warnings, matched points with ratios, overlaid figures, the origin of the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from disttrack.simulator.pages.html import Html, facts, joined, section
from disttrack.simulator.pages.tables import table
from disttrack.simulator.plots.base import Picture
from disttrack.simulator.report.figures import figures
from disttrack.simulator.report.origin import command, versions
from disttrack.simulator.report.report import shown
from disttrack.simulator.results.compared import Compared, Middle, Row
from disttrack.simulator.results.files import write_text
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.formats import cell, interval, number


def write_comparison(path: Path, results: Sequence[Results], compared: Compared, drawn: Sequence[Picture] = ()) -> Path:
    """Write the page of a comparison and return its path.

    Parameters
    ----------
    drawn
        Further figures of all results.
    """
    title = " and ".join(compared.names) + " compared"
    with TemporaryDirectory() as folder:
        pictures = [*_overlays(compared, Path(folder)), *drawn]
        parts = {
            "": _short(compared),
            "Points": _points(compared),
            "Not compared": _not_compared(compared),
            "Figures": section("Figures", figures(pictures), anchor="figures") if pictures else Html(""),
            "Where they come from": _origins(results, compared.names),
        }
    text = shown(title, parts, "disttrack compare")
    write_text(path, text, results[0].dir if path.parent == results[0].dir else None)
    return path


def _overlays(compared: Compared, folder: Path) -> list[Picture]:
    """Return a figure for each measure that has ratios."""
    from disttrack.simulator.plots.overlay import overlay
    from disttrack.simulator.plots.render import render
    from disttrack.simulator.plots.style import house_style, save

    pictures = []
    for measure in dict.fromkeys(row.measure for row in compared.rows if row.ratio is not None):
        described = overlay(compared, measure)
        stem = f"compare-{measure.replace('/', '-over-').replace(' ', '-')}"
        with house_style():
            save(render(described), folder / stem)
        pictures.append(Picture(stem, folder / f"{stem}.svg", described.caption, described))
    return pictures


def _short(compared: Compared) -> Html:
    """Return the head of the page: the warnings, and the ranges of the ratios."""
    sentences = []
    for other, measure in dict.fromkeys((row.other, row.measure) for row in compared.rows):
        mine = [row for row in compared.rows if (row.other, row.measure) == (other, measure)]
        if ratios := sorted(row.ratio for row in mine if row.ratio is not None):
            same = ratios[0] == ratios[-1] == 1
            size = "the same as" if same else f"{number(ratios[0])} to {number(ratios[-1])} times"
            sentences.append(
                Html(
                    "<strong>{}</strong> of {} is {} that of {} at {} matched points; the interval excludes 1 at {} of"
                    " them.", measure, other, size, compared.names[0], len(ratios), sum(map(_apart, mine)),
                )
            )  # fmt: skip
    if compared.alone_in_words:
        sentences.append(Html("Points that no other result has: {}.", compared.alone_in_words))
    warned, listed = (joined([Html("<li>{}</li>", line) for line in part]) for part in (compared.warnings, sentences))
    warnings = Html(
        "<div role='note'><p class='fault'><strong>The results differ in other ways too:</strong></p>"
        "<ul class='fault' id='warnings'>{}</ul></div>", warned,
    )  # fmt: skip
    head = warnings if compared.warnings else Html("")
    return Html("<section class='short' id='short'><h2>In short</h2>{}<ul>{}</ul></section>", head, listed)


def _apart(row: Row) -> bool:
    """Return whether the interval of a row excludes 1."""
    return row.low is not None and row.high is not None and not row.low <= 1 <= row.high


def _points(compared: Compared) -> Html:
    if not compared.rows:
        return section("Points", Html("<p>The results have no point in common.</p>"), anchor="points")
    first = compared.names[0]
    several = len(compared.names) > 2
    other = "the other" if several else compared.names[1]
    heads = [*compared.headers, *["result"] * several]
    heads += ["measure", first, other, "ratio", "interval", "games"]
    rows = []
    for row in compared.rows:
        left = [*(cell(value) for value in row.point.values()), *[row.other] * several, row.measure]
        ratio = [(number(row.ratio), row.ratio), (interval(row.low, row.high), row.low)]
        rows.append(
            [*left, _middle(row.one, row), _middle(row.two, row), *ratio, f"{row.one.games} and {row.two.games}"]
        )
    text = Html(
        "<p>The ratio is that of the medians, {} over {}. Its interval holds with at least 95 %, whatever the"
        " distribution: each median lies between two of its ordered games with 97.5 %, and the ends of the two are"
        " divided. Fewer than seven games give none. Marked rows: the interval excludes 1.</p>",
        other, first,
    )  # fmt: skip
    apart = {place for place, row in enumerate(compared.rows) if _apart(row)}
    right = set(range(len(heads) - 5, len(heads)))
    return section("Points", text, table(heads, rows, right, says="Matched points", lost=apart), anchor="points")


def _not_compared(compared: Compared) -> Html:
    """Return the points that only the first result has, or that it lacks; nothing if all are compared."""
    names = compared.names
    left = [point for point in compared.points if 0 not in point.places or len(point.places) == 1]
    if not left:
        return Html("")
    rows = [[*map(cell, one.values.values()), ", ".join(names[place] for place in one.places)] for one in left]
    text = Html("<p>Points that {} lacks, or that no other result has.</p>", names[0])
    return section(
        "Not compared", text, table([*compared.headers, "in"], rows, says="Points not compared"), anchor="alone"
    )


def _middle(middle: Middle, row: Row) -> Any:
    """Return a median, or in how many games something held."""
    if middle.value is None:
        return ""
    if row.ratio is None and 0 <= middle.value <= 1 and middle.low is None:
        return f"{round(middle.value * middle.games)} of {middle.games}"
    return number(middle.value), middle.value


def _origins(results: Sequence[Results], names: Sequence[str]) -> Html:
    parts = []
    for name, one in zip(names, results, strict=True):
        manifest = one.manifest
        known = {key: one.scenario.get(key) for key in ("question", "seed")}
        known |= {"scenario": manifest.get("name"), "rules": manifest.get("rules"), "begun": manifest.get("begun")}
        known |= {"versions": versions(manifest), "made again by": command(manifest)}
        there = {key: str(value) for key, value in known.items() if value not in (None, "")}
        parts.append(Html("<h3>{}</h3>{}", name, facts(there)))
    return section("Where they come from", *parts, anchor="origin")
