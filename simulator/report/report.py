"""One self-contained HTML page for a result: claims, figures, tables and what made it.

It needs no network and no other file: figures stand in it as data, everything else as text. The figures
have been drawn before.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from simulator.claims.columns import label
from simulator.pages.html import Html, facts, section, verdict
from simulator.pages.shell import page, resource
from simulator.pages.tables import table
from simulator.results.files import write_text
from simulator.results.folder import Results, opened
from simulator.results.formats import cell, chance, interval, number

if TYPE_CHECKING:
    import pandas as pd

    from simulator.results.read import Tables

NAME: Final = "report.html"

_HEAVY: Final = 600_000
"""A figure whose SVG has more bytes stands in the page as PNG."""

_MEASURED: Final = ("words", "words_up", "words_down", "output_changes", "rounds")
"""Columns of trials.csv that the summary shows, beside the error."""

_MOST_ROWS: Final = 400
"""Rows of the summary; a longer one is cut, and says so."""


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
    from simulator.results.read import read_tables

    results = opened(place)
    tables = read_tables([results]).in_words_of_task()
    manifest, scenario = results.manifest, results.scenario
    title = str(scenario.get("title") or manifest.get("name") or results.dir.resolve().name)
    parts = [
        _lead(tables, manifest),
        _claims(results.claims),
        _figures(results, fault),
        _summary(tables.trials),
        _kinds(tables.trials, tables.kinds),
        _origin(scenario, manifest),
    ]
    path = results.dir / NAME
    write_text(path, page(title, parts, kicker="disttrack report", scripts=[resource("tables.js")]))
    return path


def _lead(tables: Tables, manifest: dict[str, Any]) -> Html:
    """Return the first lines: how much was played, and what is fixed."""
    from simulator.results.fixed import fixed

    games = manifest.get("games") or {}
    lost = int(games.get("errors") or 0)
    text = f"{len(tables.trials):,} games, {fixed(tables)}."
    if lost:
        text += f" {lost:,} of them were lost to errors; errors.txt has their tracebacks."
    return Html("<p class='lead'>{}</p>", text)


def _claims(found: pd.DataFrame) -> Html:
    """Return the claims with what was measured."""
    if found.empty:
        return section("Claims", Html("<p>The scenario makes no claims.</p>"))
    rows = []
    for row in found.to_dict("records"):
        said = " where ".join(filter(None, (row["measure"], cell(row["where"]))))
        group = cell(row.get("group"))
        rows.append(
            [
                verdict(str(row["verdict"])),
                Html("{}<br><code>{}</code>", row["name"] + (f" [{group}]" if group else ""), said),
                row["bound"],
                number(row["value"]) or cell(row["note"]),
                interval(row["low"], row["high"]),
                _control(row),
                chance(row.get("false_alarm")),
                number(row["games"]),
            ]
        )
    held = int((found["verdict"] == "PASS").sum())
    text = Html("<p>{} of {} claims hold. The interval has a confidence of 95 %.</p>", held, len(found))
    if "control" in found and found["control"].notna().any():  # results of before controls have none
        said = "In the control what a claim speaks of is broken, and its bound must be missed."
        text = Html("{}<p>{}</p>", text, said)
    if "false_alarm" in found:
        text = Html(
            "{}<p>{}</p>", text, "False alarm: the chance that a fresh run misses the bound, though it is true."
        )
    heads = ["", "claim", "wanted", "measured", "interval", "control", "false alarm", "games"]
    return section("Claims", text, table(heads, rows, right=(2, 3, 4, 6, 7), says="Claims, with what was measured"))


def _control(row: Mapping[Any, Any]) -> Html:
    """Return what was measured in the control of a claim, and what is broken there."""
    return Html("{}<br><small>{}</small>", number(row.get("control")), cell(row.get("broken")))


def _figures(results: Results, fault: str) -> Html:
    """Return the figures that have been drawn, and what is wrong with the others."""
    from simulator.plots.figures import planned, up_to_date

    wanted = planned(results)
    drawn = [path for path in wanted if up_to_date(path, results)]
    missing = ", ".join(path.stem for path in wanted if path not in drawn)
    told = Html("")
    if fault or missing:
        said = f"A figure could not be drawn: {fault}" if fault else f"Not drawn: {missing}"
        told = Html("<p class='fault'>{}</p>", said)
    shown = []
    for path in drawn:
        small = path.stat().st_size <= _HEAVY
        data = (path if small else path.with_suffix(".png")).read_bytes()
        source = f"data:image/{'svg+xml' if small else 'png'};base64,{base64.b64encode(data).decode('ascii')}"
        said = caption(wanted[path].says, path.stem)
        shown.append(Html("<figure><img alt='{}' src='{}'><figcaption>{}</figcaption></figure>", said, source, said))
    return section("Figures", told, *shown) if shown or str(told) else Html("")


def _summary(trials: pd.DataFrame) -> Html:
    """Return a row per point: what it cost and whether it held, as medians over its games."""
    from simulator.plots.error import error_over_alpha
    from simulator.results.read import name, swept_axes

    axes = [axis for axis in swept_axes(trials) if axis not in ("protocol", "adversary")]
    games = trials.assign(_error=error_over_alpha(trials))
    rows: list[list[Any]] = []
    groups = games.groupby(["point"], sort=True)
    for _, mine in groups:
        first = mine.iloc[0]
        rows.append(
            [
                first["protocol"],
                first["adversary"],
                *(cell(first[axis]) for axis in axes),
                f"{int((mine['verdict'] == 'ok').sum())} of {len(mine)}",
                number(mine["_error"].median()),
                *(number(mine[column].median()) for column in _MEASURED),
            ]
        )
    swept = [name(axis) for axis in axes]
    heads = ["protocol", "adversary", *swept, "held", "largest error / α", *map(label, _MEASURED)]
    text = "Medians over the games of each point." + (
        f" The first {_MOST_ROWS} of {len(rows)} points; trials.csv has them all." if len(rows) > _MOST_ROWS else ""
    )
    body = table(heads, rows[:_MOST_ROWS], right=tuple(range(2, len(heads))), says="Games by point")
    return section("Games", Html("<p>{}</p>", text), body)


def _kinds(trials: pd.DataFrame, kinds: pd.DataFrame) -> Html:
    """Return the words of each kind of message, on average over all games of a protocol."""
    if kinds.empty:
        return Html("")
    named = kinds.drop(columns=[column for column in ("protocol",) if column in kinds])
    named = named.merge(trials[["result", "point", "trial", "protocol"]], on=["result", "point", "trial"])
    games = trials.groupby("protocol", sort=False).size()
    sums = named.groupby(["protocol", "kind", "direction"], sort=False)[["messages", "words", "bits"]].sum()
    rows = []
    for key, row in sums.iterrows():
        protocol, kind, direction = key if isinstance(key, tuple) else (key, "", "")
        played = int(games[protocol])
        way = {"up": "site to server", "down": "server to site"}.get(str(direction), str(direction))
        rows.append(
            [protocol, kind, way, *(number(float(row[what]) / played) for what in ("messages", "words", "bits"))]
        )
    heads = ["protocol", "kind", "direction", "messages", "words", "bits"]
    text = Html("<p>Means over all games of each protocol.</p>")
    return section("Messages by kind", text, table(heads, rows, right=(3, 4, 5), says="Messages by kind"))


def _origin(scenario: dict[str, Any], manifest: dict[str, Any]) -> Html:
    """Return what made the result: scenario, versions, machine."""
    import yaml

    machine = manifest.get("machine") or {}
    versions = manifest.get("versions") or {}
    games = manifest.get("games") or {}
    engines = sorted({str(point["engine"]) for point in manifest.get("points") or [] if point.get("engine")})
    known = {
        "scenario": manifest.get("name"),
        "begun": manifest.get("begun"),
        "took": f"{manifest['seconds']:,} s" if manifest.get("seconds") is not None else None,
        "games": ", ".join(f"{cell(value)} {key}" for key, value in games.items()),
        "engines": ", ".join(engines),
        "played by": manifest.get("workers"),
        "machine": ", ".join(f"{value} {key}" if key == "cores" else str(value) for key, value in machine.items()),
        "versions": ", ".join(f"{key} {value}" for key, value in versions.items() if value),
        "rules": manifest.get("rules"),
    }
    text = yaml.safe_dump(scenario, sort_keys=False, allow_unicode=True, width=100)
    return section(
        "Where it comes from",
        facts({key: str(value) for key, value in known.items() if value not in (None, "")}),
        Html("<details><summary>The scenario</summary><pre>{}</pre></details>", text),
    )


def caption(says: str, stem: str) -> str:
    """Return the line below a figure: what it shows, and the name of its file.

    >>> caption("words by kind of message", "breakdown-sites")
    'Words by kind of message (breakdown-sites)'
    """
    return f"{says[:1].upper()}{says[1:]} ({stem})" if says else stem
