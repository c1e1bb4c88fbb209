"""One self-contained HTML page for a result: claims, figures, tables and what made it.

It needs no network, no script and no other file: figures stand in it as data, everything else as text.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from simulator.report.page import Html, caption_of, facts, page, section, table, verdict

if TYPE_CHECKING:
    import pandas as pd

    from simulator.results.read import Tables

NAME: Final = "report.html"

_HEAVY: Final = 600_000
"""A figure whose SVG has more bytes stands in the page as PNG."""

_MOST_ROWS: Final = 400
"""Rows of the summary; a longer one is cut, and says so."""


def write_report(directory: str | Path) -> Path:
    """Write ``report.html`` into a result directory and return its path.

    The figures are drawn anew, from the tables as they are.

    Raises
    ------
    ValueError
        The directory holds no result.
    """
    from simulator.results.read import read_tables

    folder = Path(directory)
    tables = read_tables([folder])
    manifest = _manifest(folder)
    scenario = dict(manifest.get("scenario") or {})
    title = str(scenario.get("title") or manifest.get("name") or folder.resolve().name)
    parts = [
        _lead(tables, manifest),
        _claims(folder),
        _figures(folder),
        _summary(tables.trials),
        _kinds(tables.trials, tables.kinds),
        _origin(scenario, manifest),
    ]
    path = folder / NAME
    partial = folder / f"{NAME}.tmp"
    partial.write_text(page(title, parts), encoding="utf-8")
    os.replace(partial, path)
    return path


def _manifest(folder: Path) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return found


def _lead(tables: Tables, manifest: dict[str, Any]) -> Html:
    """Return the first lines: how much was played, and what is fixed."""
    from simulator.results.read import fixed

    games = manifest.get("games") or {}
    lost = int(games.get("errors") or 0)
    text = f"{len(tables.trials):,} games, {fixed(tables)}."
    if lost:
        text += f" {lost:,} of them were lost to errors; errors.txt has their tracebacks."
    return Html("<p class='lead'>{}</p>", text)


def _claims(folder: Path) -> Html:
    """Return the claims with what was measured."""
    import pandas as pd

    path = folder / "claims.csv"
    found = pd.read_csv(path, keep_default_na=False) if path.is_file() else pd.DataFrame()
    if found.empty:
        return section("Claims", Html("<p>The scenario makes no claims.</p>"))
    rows = []
    for row in found.to_dict("records"):
        said = " where ".join(text for text in (row["measure"], row["where"]) if text)
        interval = f"{_short(row['low'])} to {_short(row['high'])}" if row["low"] != "" else ""
        rows.append(
            [
                verdict(str(row["verdict"])),
                Html("{}<br><code>{}</code>", row["name"], said),
                row["bound"],
                _short(row["value"]) or row["note"],
                interval,
                _short(row["games"]),
            ]
        )
    held = int((found["verdict"] == "PASS").sum())
    text = Html("<p>{} of {} claims hold. The interval has a confidence of 95 %.</p>", held, len(found))
    heads = ["", "claim", "wanted", "measured", "interval", "games"]
    return section("Claims", text, table(heads, rows, right=(2, 3, 4, 5)))


def _figures(folder: Path) -> Html:
    """Return the figures that the scenario asks for, drawn anew."""
    from simulator.plots import draw

    fault = Html("")
    try:
        drawn = draw(folder)
    except ValueError as error:
        fault = Html("<p class='fault'>A figure could not be drawn: {}</p>", error)
        drawn = sorted((folder / "figures").glob("*.svg")) if (folder / "figures").is_dir() else []
    shown = []
    for path in (path for path in drawn if path.suffix == ".svg"):
        small = path.stat().st_size <= _HEAVY
        data = (path if small else path.with_suffix(".png")).read_bytes()
        source = f"data:image/{'svg+xml' if small else 'png'};base64,{base64.b64encode(data).decode('ascii')}"
        said = caption_of(path.stem)
        shown.append(Html("<figure><img alt='{}' src='{}'><figcaption>{}</figcaption></figure>", said, source, said))
    return section("Figures", fault, *shown) if shown or str(fault) else Html("")


def _summary(trials: pd.DataFrame) -> Html:
    """Return a row a point: what it cost and whether it held, in the median over its games."""
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
                *(_short(first[axis]) for axis in axes),
                f"{int((mine['verdict'] == 'ok').sum())} of {len(mine)}",
                _short(mine["_error"].median()),
                _short(mine["words"].median()),
                _short(mine["words_up"].median()),
                _short(mine["words_down"].median()),
                _short(mine["output_changes"].median()),
                _short(mine["rounds"].median()),
            ]
        )
    swept = [name(axis) for axis in axes]
    measured = ["held", "largest error / α", "words", "to the server", "to the sites", "output changes", "rounds"]
    heads = ["protocol", "adversary", *swept, *measured]
    text = "Medians over the games of a point." + (
        f" The first {_MOST_ROWS} of {len(rows)} points; trials.csv has them all." if len(rows) > _MOST_ROWS else ""
    )
    body = table(heads, rows[:_MOST_ROWS], right=tuple(range(2, len(heads))))
    return section("Games", Html("<p>{}</p>", text), body)


def _kinds(trials: pd.DataFrame, kinds: pd.DataFrame) -> Html:
    """Return the words of each kind of message, in the mean over all games of a protocol."""
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
            [protocol, kind, way, *(_short(float(row[what]) / played) for what in ("messages", "words", "bits"))]
        )
    heads = ["protocol", "kind", "direction", "messages", "words", "bits"]
    text = Html("<p>Means over all games of a protocol.</p>")
    return section("Messages by kind", text, table(heads, rows, right=(3, 4, 5)))


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
        "games": ", ".join(f"{_short(value)} {key}" for key, value in games.items()),
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


def _short(value: Any) -> str:
    """Return a number for readers: thousands with commas, fractions with three digits.

    >>> _short(1234567.0), _short(0.09090909), _short(float("nan")), _short("")
    ('1,234,567', '0.0909', '', '')
    """
    if value is None or value == "" or value != value:
        return ""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return str(value)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return str(value)
    exact = float(value)
    if exact in (float("inf"), float("-inf")):
        return "infinite"
    return f"{exact:,.0f}" if exact.is_integer() or abs(exact) >= 1000 else f"{exact:.3g}"
