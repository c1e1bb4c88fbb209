"""One self-contained HTML page for a result: the answer, claims, interactive figures, tables, words, what made it.

It needs no network and no other file: the pictures of the figures stand in it with their values, and a small script
shows these. Without scripts, and in print, pictures and tables are there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.pages.html import Html, section
from disttrack.simulator.pages.shell import page, resource
from disttrack.simulator.report.claims import claims
from disttrack.simulator.report.figures import Picture, figures
from disttrack.simulator.report.games import errors, games, kinds
from disttrack.simulator.report.origin import origin
from disttrack.simulator.report.short import answer
from disttrack.simulator.report.words import words
from disttrack.simulator.results.files import write_text
from disttrack.simulator.results.folder import Results, opened

NAME: Final = "report.html"


def write_report(place: str | Path | Results, fault: str = "") -> Path:
    """Write ``report.html`` into the folder of a result and return its path.

    Parameters
    ----------
    place
        The folder, or the results that were read from it.
    fault
        Why figures could not be drawn.

    Raises
    ------
    ValueError
        The folder holds no results.
    """
    from disttrack.simulator.results.read import read_tables

    results = opened(place)
    tables = read_tables([results])
    in_words = tables.in_words_of_task()
    manifest, scenario = results.manifest, results.scenario
    title = str(scenario.get("title") or manifest.get("name") or results.dir.resolve().name)
    said = comment_of(results)
    question, *story = paragraphs(said) or [""]
    parts = {
        "": answer(question, story, tables, results.claims),
        "Claims": claims(results.claims, scenario),
        "Figures": _figures(results, fault),
        "Games": games(results),
        "Errors": errors(results),
        "Messages by kind": kinds(in_words.trials, in_words.kinds),
        "What the words mean": words(results),
        "Where it comes from": origin(scenario, manifest, said),
    }
    contents = [(_anchor(part), heading) for heading, part in parts.items() if heading and str(part)]
    path = results.dir / NAME
    write_text(
        path, shown(title, [part for part in parts.values() if str(part)], contents, "disttrack report"), results.dir
    )
    return path


def shown(title: str, parts: list[Html], contents: list[tuple[str, str]], kicker: str) -> str:
    """Return a page with figures."""
    here = Path(__file__)
    style, script = (here.with_name(f"figures.{ending}").read_text(encoding="utf-8") for ending in ("css", "js"))
    return page(
        title,
        parts,
        styles=[style],
        scripts=[resource("tables.js"), script],
        kicker=kicker,
        contents=contents,
    )


def _anchor(part: Html) -> str:
    found = re.search(r"<section id='([^']*)'", str(part))
    return found[1] if found else "main"


def comment_of(results: Results) -> str:
    """Return what the scenario's file says above its first key: as the run kept it, or as a shipped scenario has it."""
    from disttrack.simulator.scenario.document import comment
    from disttrack.simulator.scenario.load import shipped_scenarios

    kept = results.manifest.get("comment")
    if kept is not None:
        return str(kept)
    path = shipped_scenarios().get(str(results.manifest.get("name")))
    return comment(path) if path is not None and _is_same(path, results.scenario) else ""


def _is_same(path: Path, scenario: dict[str, Any]) -> bool:
    """Tell whether a shipped scenario asks what a result's scenario asked."""
    title = re.search(r"^title: *(.*?) *$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return title is not None and title[1].strip("'\"") == str(scenario.get("title", ""))


def paragraphs(said: str) -> list[str]:
    """Return the paragraphs of a comment, each on one line.

    >>> paragraphs("Which one?\\n\\nThis one,\\nand that.")
    ['Which one?', 'This one, and that.']
    """
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", said) if part.strip()]


def _figures(results: Results, fault: str) -> Html:
    """Return the figures that have been drawn, and what is wrong with the others."""
    from disttrack.simulator.plots.figures import captions, path_of, up_to_date

    known = captions(results)
    wanted = [path_of(results, stem) for stem in known]
    drawn = [path for path in wanted if up_to_date(path, results)]
    missing = ", ".join(path.stem for path in wanted if path not in drawn)
    told = Html("")
    if fault or missing:
        said = f"A figure could not be drawn: {fault}" if fault else f"Not drawn: {missing}"
        told = Html("<p class='fault'>{}</p>", said)
    pictures = [Picture(path.stem, path, known[path.stem], results.drawn.get(path.stem)) for path in drawn]
    return section("Figures", told, figures(pictures), anchor="figures") if pictures or str(told) else Html("")
