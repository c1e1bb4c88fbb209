"""One self-contained HTML page for a result: the answer, claims, interactive figures, tables, terms, origin.

It needs no network and no other file: the pictures of the figures are in it with their values, which a small script
shows. Without scripts, and in print, pictures and tables are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.files import is_inside, write_text
from disttrack.simulator.experiments.results.folder import Results, opened
from disttrack.simulator.experiments.results.formats import cell
from disttrack.simulator.experiments.results.stored import Plain, note_written, read_captions, table_file
from disttrack.simulator.experiments.runs.own_folder import alone_with
from disttrack.simulator.game.columns import TRIALS_CSV
from disttrack.simulator.shown.pages.html import Html, facts, joined, page, resource, section
from disttrack.simulator.shown.plots.base import FORMS, Picture
from disttrack.simulator.shown.report.figures import figures
from disttrack.simulator.shown.report.tables import claims, errors, games, pairs

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.read import Tables

NAME: Final = "report.html"
BRIEF: Final = "brief.html"
SCRIPT: Final = "figures.js"
STYLE: Final = "figures.css"
BRIEF_ROWS: Final = 16
"""Rows of the table of games of `BRIEF`, where it has one."""
_SLOW: Final = re.compile(r"slow, since .*")
"""End of the reason for an engine if faster functions could not be compiled."""
_SECTION: Final = re.compile(r"\n<section id='([^']*)'><h2>(.*?)</h2>")
TRACKING: Final = {
    "site": "One of k places where items arrive; it sees its own.",
    "server": "Estimates N, the items of all sites, at every step.",
    "word": "Unit of cost, in both directions: a number below N. Messages have one or more.",
    "alpha (α)": "A game fails if |estimate − N| exceeds alpha · N at any step.",
    "delta": "Probability that a game fails.",
    "adversary": "Chooses each item's site; an adaptive one reacts to outputs.",
}
"""Terms of the tracking game."""


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
        if brief:
            parts = [
                Html("<p class='lead'>{}</p>", question) if question not in ("", results.headline) else Html(""),
                _brief_games(results, tables),
                claims(results.claims, scenario, brief=True),
                _figures(results, tables, fault, most=1),
            ]
        else:
            parts = [
                _answer(question if question != results.headline else "", paragraphs(comment), tables),
                claims(results.claims, scenario),
                _figures(results, tables, fault),
                games(results),
                errors(results),
                words(results),
                origin(scenario, manifest, comment),
            ]
        path = results.dir / (BRIEF if brief else NAME)
        write_text(path, _page(results.headline, parts, ["brief.css"] * brief), results.dir)
        note_written(results.dir, [path])
        return path


def _page(title: str, parts: Sequence[Html], sheets: Sequence[str] = ()) -> str:
    """Return the page of its parts, empty ones left out, with further style sheets of this room."""
    here = Path(__file__)
    script, *styles = (here.with_name(name).read_text(encoding="utf-8") for name in (SCRIPT, STYLE, *sheets))
    there = [part for part in parts if str(part)]
    contents = [(one[1], one[2]) for part in there if (one := _SECTION.match(str(part)))]
    scripts = [resource("tables.js"), script]
    return page(title, there, styles=styles, scripts=scripts, kicker="disttrack report", contents=contents)


def _brief_games(results: Results, tables: Tables) -> Html:
    """Return a row per protocol and adversary; the first points where the games promise nothing."""
    answer = pairs(tables, BRIEF_ROWS, folded=False)
    return section("Games", answer) if str(answer) else games(results, BRIEF_ROWS, folded=False)


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

    wanted, folder = planned(results, tables, None)[0], results.dir / "figures"
    missing = [stem for stem in wanted if not _up_to_date(results, stem)]
    captions = read_captions(results.dir)
    pictures = [
        results.pictures.get(stem, Picture(stem, folder / f"{stem}.svg", captions.get(stem, stem)))
        for stem in wanted
        if stem not in missing
    ]
    wrong = f"Figure not drawn: {fault}" if fault else f"Not drawn: {', '.join(missing)}" if missing else ""
    if not pictures and not wrong:
        return Html("")
    return section("Figures", Html("<p class='fault'>{}</p>", wrong), figures(pictures[:most]))


def _up_to_date(results: Results, stem: str) -> bool:
    """Return whether a figure has been drawn from the tables as they are."""
    files = [results.dir / "figures" / f"{stem}.{form}" for form in FORMS]
    if not all(file.is_file() and is_inside(file, results.dir) for file in files):
        return False
    tables = table_file(results.dir / TRIALS_CSV).stat().st_mtime_ns
    return all(file.stat().st_mtime_ns >= tables for file in files)


def origin(scenario: Plain, manifest: Plain, above: str) -> Html:
    """Return the section; `above` is the comment at the head of the scenario's file."""
    machine, games = (manifest.get(key) or {} for key in ("machine", "games"))
    points = manifest.get("points") or []
    engines = sorted({str(point["engine"]) for point in points if point.get("engine")})
    seeds = [str(seed) for seed in manifest.get("seeds") or []]
    took = "last call took" if games.get("kept") else "took"
    known = {
        "scenario": manifest.get("name"),
        "seed": scenario.get("seed", 0),
        "trial seeds": ", ".join(seeds[:10]) + (f", … ({len(seeds):,} in manifest.json)" if seeds[10:] else ""),
        "games": ", ".join(f"{cell(value)} {key}" for key, value in games.items()),
        "engines": "; ".join(filter(None, [", ".join(engines), slow_since(points)])),
        **{key: manifest.get(key) for key in ("begun", "workers", "rules")},
        took: f"{manifest['seconds']:,} s" if manifest.get("seconds") is not None else None,
        "machine": ", ".join(f"{value} {key}" if key == "cores" else str(value) for key, value in machine.items()),
        "versions": versions(manifest),
    }
    comment = "".join(f"# {line}".rstrip() + "\n" for line in above.splitlines())
    text = comment + yaml.safe_dump(dict(scenario), sort_keys=False, allow_unicode=True, width=100)
    name = file_name(manifest)
    return section(
        "Where it comes from",
        Html("<h3>Make it again</h3><p>Save the scenario as <code>{}</code>.</p>", name),
        copied("command", command(manifest)),
        Html("<h3>Made with</h3>"),
        facts({key: str(value) for key, value in known.items() if value not in (None, "")}),
        Html("<details><summary>Scenario</summary>{}</details>", copied("scenario", text)),
        anchor="origin",
    )  # fmt: skip


def slow_since(points: Iterable[Mapping[str, object]]) -> str:
    """Return why games of points, as the manifest has them, were slow; empty if nothing is said of any.

    >>> slow_since([{"engine_reason": "exact for every game; slow, since numba is not installed"}, {}])
    'slow, since numba is not installed'
    """
    endings = (_SLOW.search(str(point.get("engine_reason", ""))) for point in points)
    return next((ending[0] for ending in endings if ending), "")


def versions(manifest: Plain) -> str:
    """Return the versions of the libraries of a result."""
    known = manifest.get("versions") or {}
    return ", ".join(f"{key} {value}" for key, value in known.items() if value)


def copied(name: str, text: str) -> Html:
    """Return a text to be copied."""
    return Html("<pre tabindex='0' aria-label='{}'><code>{}</code></pre>", name, text)


def file_name(manifest: Mapping[str, object]) -> str:
    """Return a name for the scenario's file."""
    return re.sub(r"[^\w.-]+", "-", str(manifest.get("name") or "scenario")).strip("-") + ".yaml"


def command(manifest: Mapping[str, object]) -> str:
    """Return the one command that plays the same games again.

    >>> command({"name": "headline"})
    'disttrack run headline.yaml --fresh'
    """
    return f"disttrack run {file_name(manifest)} --fresh"


def words(results: Results) -> Html:
    """Return the section: terms, then what the task, each protocol and each adversary is, in a paragraph."""
    from disttrack.simulator.experiments.results.folder import class_of
    from disttrack.simulator.experiments.scenario.settings import SIDES
    from disttrack.simulator.kinds.facts import Facts

    task, maker = str(results.scenario.get("task") or "count"), results.task
    known = [Facts("task", task, "", task, maker)]
    for side in [side for side in SIDES if side not in maker.idle]:
        for kind in dict.fromkeys(map(str, results.trials[side].dropna())):
            with suppress(ScenarioError, TypeError, ValueError):  # a user's class that was not given
                known.append(Facts(side, kind, "", kind, class_of(side, kind, results.own, maker.bases[side])))
    terms = facts(TRACKING) if task == "count" else Html("")
    says = facts({one.name: one.says.partition("\n\n")[0] for one in known})
    return section("Terms", terms, says, anchor="words")
