"""What all games of some results share, in words: the line under a figure's title, and the lead of a page."""

from __future__ import annotations

from simulator.results.read import Tables
from simulator.tasks.sizes import Size


def fixed(tables: Tables) -> str:
    """Return the parameters that all games share, for the line under the title."""
    trials = tables.trials
    parts = [text for size in tables.sizes if (text := _fixed_size(tables, size))]
    alphas = trials["alpha"].dropna()
    alphas = alphas[alphas > 0]
    if alphas.nunique() == 1:
        parts.append(f"α = {alphas.iloc[0]:g}")
    if trials["adversary"].nunique() == 1:
        parts.append(f"adversary {trials['adversary'].iloc[0]}")
    games = trials.groupby(["result", "point"]).size()
    least, most = int(games.min()), int(games.max())
    parts.append(f"{most} game{'s' * (most > 1)} per point" if least == most else f"{least} to {most} games per point")
    return " · ".join(parts)


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
    return f"{value:,.0f} {size.key if value != 1 else size.key.removesuffix('s')}{after}"
