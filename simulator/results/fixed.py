"""What all games of some results share, and what moves along an axis: the line under a title, the lead of a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from disttrack.simulator.results.formats import setting, span
from disttrack.simulator.results.read import Tables, name, swept_axes
from disttrack.simulator.tasks.sizes import Size


def fixed(tables: Tables, x: str = "") -> str:
    """Return the parameters that all games share, for the line under the title, and those that move with the axis.

    Parameters
    ----------
    x
        The axis of a figure, as a column of the games; empty for none.
    """
    trials = tables.trials
    parts = [text for size in tables.sizes if (text := _fixed_size(tables, size))]
    alphas = trials["alpha"].dropna()
    alphas = alphas[alphas > 0]
    if alphas.nunique() == 1:
        parts.append(f"α = {alphas.iloc[0]:g}")
    parts += _settings(tables)
    if trials["adversary"].nunique() == 1:
        parts.append(f"adversary {trials['adversary'].iloc[0]}")
    parts += _moving(tables, x)
    games = trials.groupby(["result", "point"]).size()
    least, most = int(games.min()), int(games.max())
    parts.append(f"{most} game{'s' * (most > 1)} per point" if least == most else f"{least} to {most} games per point")
    return " · ".join(parts)


def _settings(tables: Tables) -> list[str]:
    """Return what the scenarios set of their protocols and do not sweep: once for all, or each with its protocol."""
    there = set(tables.trials["protocol"])
    swept = {name(axis) for axis in swept_axes(tables.trials)}
    given: dict[str, dict[str, list[str]]] = {}
    for entry in _entries(tables):
        for key, value in entry.items():
            if key in ("kind", "alpha") or key in swept or isinstance(value, list) or entry["kind"] not in there:
                continue
            values = given.setdefault(key, {}).setdefault(str(entry["kind"]), [])
            text = "as given" if isinstance(value, dict) else setting(value)
            values += [text] * (text not in values)
    parts, own = [], dict[str, list[str]]()
    for key, by_kind in given.items():
        if set(by_kind) == there and len(set(map(tuple, by_kind.values()))) == 1:
            parts.append(f"{key} = {' or '.join(next(iter(by_kind.values())))}")
            continue
        for kind, values in by_kind.items():
            own.setdefault(kind, []).append(f"{key} {' or '.join(values)}")
    # of more than a few protocols the settings of each are more than a line can hold
    return parts + ([f"{kind}: {', '.join(texts)}" for kind, texts in own.items()] if len(own) <= 3 else [])


def _entries(tables: Tables) -> Iterator[dict[str, Any]]:
    """Yield the entries under `protocol:` of all scenarios."""
    for scenario in tables.scenarios.values():
        listed = scenario.get("protocol") or []
        for entry in listed if isinstance(listed, list) else [listed]:
            yield {"kind": entry} if isinstance(entry, str) else entry


def _moving(tables: Tables, x: str) -> list[str]:
    """Return what varies, but has one value at each place of the axis, with its range."""
    trials = tables.trials
    if x not in trials:
        return []
    moving = []
    for axis in swept_axes(trials):
        if name(axis) == name(x) or (trials.groupby([x, "protocol", "result"])[axis].nunique() > 1).any():
            continue
        mine = trials[trials[axis].notna()]
        if any(games[axis].nunique() > 1 for _, games in mine.groupby("protocol")):
            values = mine[axis].tolist()
            numbers = all(isinstance(value, int | float) for value in values)
            moving.append(f"{name(axis)} {span(values)}" if numbers else name(axis))
    return [f"moving with {name(x)}: {', '.join(moving)}"] if moving else []


def _fixed_size(tables: Tables, size: Size) -> str:
    """Return a size that all games share, in words; empty if they do not, and for the start, which the items name."""
    starts = {int(point.get("start") or 0) for points in tables.points.values() for point in points.values()}
    there = next((column for column in (size.key, size.column) if column in tables.trials), "")
    values = {float(value) for value in tables.trials[there].dropna()} if there else {float(start) for start in starts}
    values.discard(0.0)
    if size.key == "start" or len(values) != 1:
        return ""
    value = values.pop()
    after = f" after {starts.pop():,}" if size.key == "items" and len(starts) == 1 and starts != {0} else ""
    if not size.key.endswith("s"):
        return f"{size.key} {value:,.0f}"
    return f"{value:,.0f} {size.key if value != 1 else _one_of(size.key)}{after}"


def _one_of(key: str) -> str:
    """Return the word for one of several.

    >>> _one_of("sites"), _one_of("queries")
    ('site', 'query')
    """
    return f"{key.removesuffix('ies')}y" if key.endswith("ies") else key.removesuffix("s")
