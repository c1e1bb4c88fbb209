"""The page of a comparison: warnings, matched points with ratios, overlaid figures, the origin of the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from disttrack.simulator.pages.html import Html, facts, joined, section
from disttrack.simulator.pages.tables import table
from disttrack.simulator.plots.base import Picture
from disttrack.simulator.report.figures import figures
from disttrack.simulator.report.origin import command, versions
from disttrack.simulator.report.report import shown
from disttrack.simulator.results.compared import Compared
from disttrack.simulator.results.files import write_text
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.formats import interval, number


def write_comparison(path: Path, results: Sequence[Results], compared: Compared, drawn: Sequence[Picture] = ()) -> Path:
    """Write the page of a comparison and return its path.

    Parameters
    ----------
    drawn
        Further figures of all results.
    """
    title = " and ".join(compared.names) + " compared"
    with TemporaryDirectory() as folder:
        overlays = _overlays(compared, Path(folder))
        pictures = [*(one for one in overlays if isinstance(one, Picture)), *drawn]
        faults = [Html("<p class='fault'>{}</p>", one) for one in overlays if isinstance(one, str)]
        shown_figures = section("Figures", *faults, figures(pictures), anchor="figures")
        parts = {
            "": _short(compared),
            "Points": _points(compared),
            "Figures": shown_figures if pictures or faults else Html(""),
            "Where they come from": _origins(results, compared.names),
        }
    text = shown(title, parts, "disttrack compare")
    write_text(path, text)
    return path


def _overlays(compared: Compared, folder: Path) -> list[Picture | str]:
    """Return a figure for each measure that has ratios, or why it could not be drawn."""
    from disttrack.simulator.plots.overlay import overlay
    from disttrack.simulator.plots.render import render
    from disttrack.simulator.plots.style import house_style, save

    pictures: list[Picture | str] = []
    for measure in dict.fromkeys(row.measure for row in compared.rows if row.ratio is not None):
        described = overlay(compared, measure)
        stem = f"compare-{measure.replace('/', '-over-').replace(' ', '-')}"
        try:
            with house_style():
                save(render(described), folder / stem)
        except ValueError as error:  # long names leave no room
            pictures.append(f"A figure could not be drawn: {measure}: {error}")
            continue
        path = folder / f"{stem}.svg"
        pictures.append(Picture(stem, path, described.caption, described, path.read_text(encoding="utf-8")))
    return pictures


def _short(compared: Compared) -> Html:
    """Return the head of the page: the warnings, and the ranges of the ratios."""
    sentences = [
        Html("<strong>{}</strong> of {}: {}.", measure, other, words)
        for measure, other, _, words in compared.measures()
    ]
    sentences += [Html("{}.", line) for line in compared.unmatched]
    warned, listed = (joined([Html("<li>{}</li>", line) for line in part]) for part in (compared.warnings, sentences))
    warnings = Html(
        "<div role='note'><p class='fault'><strong>The results differ in other ways too:</strong></p>"
        "<ul class='fault' id='warnings'>{}</ul></div>", warned,
    )  # fmt: skip
    head = Html("{}<p>{}</p>", warnings if compared.warnings else Html(""), compared.subtitle)
    return Html("<section class='short' id='short'><h2>In short</h2>{}<ul>{}</ul></section>", head, listed)


def _points(compared: Compared) -> Html:
    if not compared.rows:
        text = Html("<p>No other result has a point that matches one of {}.</p>", compared.names[0])
        return section("Points", text, anchor="points")
    first = compared.names[0]
    several = len(compared.names) > 2
    other = "the other" if several else compared.names[1]
    heads = [*compared.headers, *["result"] * several]
    heads += ["measure", first, other, "ratio", "interval", "games"]
    rows = []
    for row in compared.rows:
        left = [*(row.cells[name] for name in compared.headers), *[row.other] * several, row.measure]
        ratio = [(number(row.ratio), row.ratio), (interval(row.low, row.high), row.low)]
        medians = [(each.words, each.value) for each in (row.one, row.two)]
        rows.append([*left, *medians, *ratio, f"{row.one.games} and {row.two.games}"])
    text = Html(
        "<p>The ratio is that of the medians, {} over {}. Its interval holds with at least 95 %, whatever the"
        " distribution: each median lies between two of its ordered games with 97.5 %, and the ends of the two are"
        " divided. Fewer than seven games give none. Marked rows come first: the interval excludes 1, or"
        " Fisher's exact test tells two shares apart with 5 %.</p>",
        other, first,
    )  # fmt: skip
    apart = {place for place, row in enumerate(compared.rows) if row.changed}
    right = set(range(len(heads) - 5, len(heads)))
    return section("Points", text, table(heads, rows, right, says="Matched points", lost=apart), anchor="points")


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
