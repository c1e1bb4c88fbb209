"""The page of a comparison: warnings, matched points with ratios, overlaid figures, where the results come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from disttrack.simulator.pages.html import Html, facts, joined, section
from disttrack.simulator.pages.tables import table
from disttrack.simulator.report.figures import Picture, figures
from disttrack.simulator.report.origin import command, versions
from disttrack.simulator.report.report import shown
from disttrack.simulator.results.compared import Compared, Middle, Row
from disttrack.simulator.results.files import write_text
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.formats import cell, interval, number
from disttrack.simulator.results.settings import brief

NAME: Final = "compare.html"


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
    anchors = {"Points": "points", "Not compared": "alone", "Figures": "figures", "Where they come from": "origin"}
    contents = [(anchors[heading], heading) for heading, part in parts.items() if heading and str(part)]
    text = shown(title, [part for part in parts.values() if str(part)], contents, "disttrack compare")
    write_text(path, text, results[0].dir if path.parent == results[0].dir else None)
    return path


def _overlays(compared: Compared, folder: Path) -> list[Picture]:
    """Return a figure for each measure that has ratios."""
    from disttrack.simulator.plots.overlay import overlay
    from disttrack.simulator.plots.render import render
    from disttrack.simulator.plots.style import house_style, save

    found = []
    for measure in dict.fromkeys(row.measure for row in compared.rows if row.ratio is not None):
        described = overlay(compared, measure)
        stem = f"compare-{measure.replace('/', '-over-').replace(' ', '-')}"
        with house_style():
            save(render(described), folder / stem)
        found.append(Picture(stem, folder / f"{stem}.svg", described.caption, described))
    return found


def _short(compared: Compared) -> Html:
    """Return the head of the page: what is compared, the warnings, how far the medians differ."""
    first, *others = compared.names
    told = []
    for other in others:
        for measure in dict.fromkeys(row.measure for row in compared.rows):
            mine = [row for row in compared.rows if (row.other, row.measure) == (other, measure)]
            told += _told(mine, first, other, measure)
    if compared.alone_in_words:
        told.append(Html("Points that no other result has: {}.", compared.alone_in_words))
    warned = joined([Html("<li>{}</li>", line) for line in compared.warnings])
    warnings = (
        Html("<div role='note'><p class='fault'><strong>The results differ in more than what is compared:</strong></p>"
             "<ul class='fault' id='warnings'>{}</ul></div>", warned)
        if compared.warnings
        else Html("")
    )  # fmt: skip
    listed = joined([Html("<li>{}</li>", each) for each in told])
    return Html("<section class='short' id='short'><h2>In short</h2>{}<ul>{}</ul></section>", warnings, listed)


def _told(mine: Sequence[Row], first: str, other: str, measure: str) -> list[Html]:
    ratios = sorted(row.ratio for row in mine if row.ratio is not None)
    if not ratios:
        return []
    apart = sum(row.low is not None and row.high is not None and not row.low <= 1 <= row.high for row in mine)
    same = all(ratio == 1 for ratio in ratios)
    size = "the same as" if same else f"{number(ratios[0])} to {number(ratios[-1])} times"
    return [
        Html(
            "<strong>{}</strong> of {} is {} that of {} at {} matched points; the interval excludes 1 at {} of them.",
            measure, other, size, first, len(ratios), apart,
        )
    ]  # fmt: skip


def _points(compared: Compared) -> Html:
    if not compared.rows:
        return section("Points", Html("<p>The results have no point in common.</p>"), anchor="points")
    first = compared.names[0]
    several = len(compared.names) > 2
    settings = list(compared.rows[0].point)
    other = "the other" if several else compared.names[1]
    heads = [
        *(name.replace("_", " ") for name in settings),
        *["result"] * several,
        "measure",
        first,
        other,
        "ratio",
        "interval",
        "games",
    ]
    rows = [
        [
            *(cell(brief(value)) for value in row.point.values()),
            *[row.other] * several,
            row.measure,
            _middle(row.one, row),
            _middle(row.two, row),
            (number(row.ratio), row.ratio),
            (interval(row.low, row.high), row.low),
            f"{row.one.games} and {row.two.games}",
        ]
        for row in compared.rows
    ]
    text = Html(
        "<p>The ratio is that of the medians, {} over {}. Its interval holds with at least 95 %, whatever the"
        " distribution: each median lies between two of its ordered games with 97.5 %, and the ends of the two are"
        " divided. Fewer than seven games give none. Marked rows: the interval excludes 1.</p>",
        other, first,
    )  # fmt: skip
    apart = {
        place
        for place, row in enumerate(compared.rows)
        if row.low is not None and row.high is not None and not row.low <= 1 <= row.high
    }
    right = set(range(len(heads) - 5, len(heads)))
    return section("Points", text, table(heads, rows, right, says="Matched points", lost=apart), anchor="points")


def _not_compared(compared: Compared) -> Html:
    """Return the points that only the first result has, or that it lacks; nothing if all are compared."""
    matched, names = compared.matched, compared.names
    left = [point for point in matched.points if 0 not in point.places or len(point.places) == 1]
    if not left:
        return Html("")
    keys = matched.columns
    rows = [[*map(point.said, keys), ", ".join(names[place] for place in point.places)] for point in left]
    text = Html("<p>Points that {} lacks, or that no other result has.</p>", names[0])
    heads = [*(key.replace("_", " ") for key in keys), "in"]
    return section("Not compared", text, table(heads, rows, set(), says="Points not compared"), anchor="alone")


def _middle(middle: Middle, row: Row) -> Any:
    """Return a median, or in how many games something held."""
    if middle.value is None:
        return ""
    if row.ratio is None and 0 <= middle.value <= 1 and middle.low is None:
        return f"{round(middle.value * middle.games)} of {middle.games}"
    return number(middle.value), middle.value


def _origins(results: Sequence[Results], names: Sequence[str]) -> Html:
    parts = [Html("<h3>{}</h3>{}", name, _origin(one.manifest)) for name, one in zip(names, results, strict=True)]
    return section("Where they come from", *parts, anchor="origin")


def _origin(manifest: Mapping[str, Any]) -> Html:
    known = {
        "scenario": manifest.get("name"),
        "title": (manifest.get("scenario") or {}).get("title"),
        "seed": (manifest.get("scenario") or {}).get("seed"),
        "rules": manifest.get("rules"),
        "begun": manifest.get("begun"),
        "versions": versions(manifest),
        "made again by": command(manifest),
    }
    return facts({key: str(value) for key, value in known.items() if value not in (None, "")})
