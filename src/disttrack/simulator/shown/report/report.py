"""One self-contained HTML page for a result: the answer, claims, interactive figures, tables, terms, origin.

It needs no network and no other file: the pictures of the figures are in it with their values, which a small script
shows. Without scripts, and in print, pictures and tables are there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from disttrack.simulator.experiments.results.files import write_text
from disttrack.simulator.experiments.results.folder import Results, opened
from disttrack.simulator.experiments.results.stored import note_written, read_captions
from disttrack.simulator.experiments.runs.own_folder import alone_with
from disttrack.simulator.shown.pages.html import Html, joined, page, resource, section
from disttrack.simulator.shown.plots.base import Picture
from disttrack.simulator.shown.report.claims import claims, outcomes
from disttrack.simulator.shown.report.figures import figures
from disttrack.simulator.shown.report.games import errors, games, pairs
from disttrack.simulator.shown.report.origin import origin
from disttrack.simulator.shown.report.words import words

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.read import Tables

NAME: Final = "report.html"
BRIEF: Final = "brief.html"
SCRIPT: Final = "figures.js"
STYLE: Final = "figures.css"
BRIEF_ROWS: Final = 16
"""Rows of its table of games, where it has one."""


def write_report(place: str | Path | Results, fault: str = "", *, brief: bool = False) -> Path:
    """Write ``report.html`` into the folder of a result and return its path.

    Parameters
    ----------
    place
        The folder, or the results that were read from it.
    fault
        The reason why figures could not be drawn.
    brief
        Whether it is ``brief.html``, one page to hand out: the question, the outcome of each pair, the claims, and one
        figure.

    Raises
    ------
    ValueError
        The folder holds no results.
    """
    from disttrack.simulator.experiments.results.read import tables_of

    results = opened(place)
    with alone_with(results):
        tables = tables_of(results)
        manifest, scenario = results.manifest, results.scenario
        comment = str(manifest.get("comment") or "")
        question = str(scenario.get("question") or "")
        parts = {
            "": _answer(question if question != results.headline else "", paragraphs(comment), tables),
            "Claims": claims(results.claims, scenario),
            "Figures": _figures(results, tables, fault),
            "Games": games(results),
            "Errors": errors(results),
            "Terms": words(results),
            "Where it comes from": origin(scenario, manifest, comment),
        }
        if brief:
            parts = {
                "": Html("<p class='lead'>{}</p>", question) if question not in ("", results.headline) else Html(""),
                "Games": _brief_games(results, tables),
                "Claims": outcomes(results.claims),
                "Figures": _figures(results, tables, fault, most=1),
            }
        path = results.dir / (BRIEF if brief else NAME)
        write_text(path, _page(results.headline, parts, ["brief.css"] * brief), results.dir)
        note_written(results.dir, [path])
        return path


def _page(title: str, parts: Mapping[str, Html], sheets: Sequence[str] = ()) -> str:
    """Return the page from its parts by their headings, empty ones left out, with further style sheets of this room."""
    here = Path(__file__)
    script, *styles = (here.with_name(name).read_text(encoding="utf-8") for name in (SCRIPT, STYLE, *sheets))
    there = {heading: part for heading, part in parts.items() if str(part)}
    anchors = {heading: re.search(r"<section id='([^']*)'", str(part)) for heading, part in there.items() if heading}
    contents = [(anchor[1], heading) for heading, anchor in anchors.items() if anchor]
    scripts = [resource("tables.js"), script]
    return page(
        title, list(there.values()), styles=styles, scripts=scripts, kicker="disttrack report", contents=contents
    )


def _brief_games(results: Results, tables: Tables) -> Html:
    """Return a row per protocol and adversary; the first points where the games promise nothing."""
    answer = pairs(tables, BRIEF_ROWS, folded=False)
    return section("Games", answer, anchor="games") if str(answer) else games(results, BRIEF_ROWS, folded=False)


def _answer(question: str, story: Sequence[str], tables: Tables) -> Html:
    """Return the box at the head of the page: the question, the comment of the scenario, and who fails at what cost."""
    asked = Html("<p><strong>Question.</strong> {}</p>", question) if question else Html("")
    told = joined([Html("<p>{}</p>", part) for part in story])
    return Html("<section class='short' id='short'>{}{}{}</section>", asked, told, pairs(tables))


def paragraphs(comment: str) -> list[str]:
    """Return the paragraphs of a comment, each on one line.

    >>> paragraphs("Which one?\\n\\nThis one,\\nand that.")
    ['Which one?', 'This one, and that.']
    """
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", comment) if part.strip()]


def _figures(results: Results, tables: Tables, fault: str, most: int | None = None) -> Html:
    """Return the figures that have been drawn, the first `most` of them, and the faults of the others."""
    from disttrack.simulator.shown.plots.requests import planned
    from disttrack.simulator.shown.plots.unchanged import up_to_date

    wanted, folder = planned(results, tables, None)[0], results.dir / "figures"
    missing = [stem for stem in wanted if not up_to_date(results, stem)]
    captions = read_captions(results.dir)
    pictures = [
        results.pictures.get(stem, Picture(stem, folder / f"{stem}.svg", captions.get(stem, stem)))
        for stem in wanted
        if stem not in missing
    ]
    wrong = f"Figure not drawn: {fault}" if fault else f"Not drawn: {', '.join(missing)}" if missing else ""
    if not pictures and not wrong:
        return Html("")
    return section("Figures", Html("<p class='fault'>{}</p>", wrong), figures(pictures[:most]), anchor="figures")
