"""The `windows` figure, what was admitted in the course of windows, and that of a single game: each site's part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from disttrack.simulator.experiments.results.formats import short
from disttrack.simulator.experiments.results.lines import swept_axes
from disttrack.simulator.experiments.results.read import Tables, fixed
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.plots.description import Axis, Description, Item, Look, Panel, Rule, Series, rounded
from disttrack.simulator.shown.plots.marks import BORDER, mark
from disttrack.simulator.shown.plots.panels import looks_of_lines, shape
from disttrack.simulator.shown.plots.sweep import facets, listed

_LIMIT: Final = Look(BORDER, width=1.2, order=1)


def windows(tables: Tables, most: int) -> Description:
    """Return a `windows` figure: the first game of each line, in its first windows, `most` at most."""
    trials = tables.trials
    axes = swept_axes(trials)
    kinds = tables.protocols
    limits: set[float] = set()
    made, last, highest = [], 0.0, 0.0
    groups, crowded = facets(tables, apart=("adversary",) if "adversary" in axes else ())
    plain = looks_of_lines((line for facet in groups for line in facet.lines), kinds)
    looks = {label: replace(look, marker="") for label, look in plain.items()}
    for facet in groups:
        items: list[Item] = []
        for line in facet.lines:
            game = line.games.iloc[0]
            rule = tables.points[str(game["result"])][int(game["point"])].get("protocol") or {}
            if "window" not in rule:
                raise ValueError("a windows figure needs games of quotas")
            series = tables.timeline(game)
            number = (series["step"] - 1) // int(rule["window"])
            for _, part in series[number < most].groupby(number):
                steps, cost = part["step"].to_numpy(dtype=float), part["output"].to_numpy(dtype=float)
                items.append(Series(line.label, steps, cost, looks[line.label]))
                last, highest = max(last, float(steps[-1])), max(highest, float(cost.max()))
            if rule.get("shape", "window") == "window":  # others allow something else
                limits.add(float(rule["limit"]))
        made.append((facet.title, items))
    rules: list[Item] = [Rule(limit, _LIMIT) for limit in sorted(limits)]
    x = Axis("step", ends=(0.0, last), most=5, text=short)
    y = Axis("cost admitted in the window", ends=(0.0, 1.08 * max([highest, *limits])), most=6, text=short)
    rows, columns = shape(len(made))
    rule_note = "Horizontal line: the limit." if limits else ""
    limit = f", limit {' and '.join(map(rounded, sorted(limits)))}" if limits else ""
    return Description(
        [Panel([*rules, *items], x, y, against) for against, items in made], columns, 3.6 if rows == 1 else 2.6 * rows,
        subtitle=fixed(tables), marks="the first game of each point",
        note=f"{rule_note}{_hidden(made)}{crowded}".strip(),
        caption=f"Cost admitted in the first {count(most, 'window')}{limit}.",
        legend=[(look, label) for label, look in looks.items()],
    )  # fmt: skip


def _hidden(panels: Sequence[tuple[str, Sequence[Item]]]) -> str:
    """Return which lines are hidden by others, equal in all of their points, as a sentence; empty if none is."""
    places: dict[tuple[str, ...], list[str]] = {}
    for against, items in panels:
        lines: dict[str, tuple[float, ...]] = {}
        for one in items:
            if isinstance(one, Series):
                lines[one.name] = (*lines.get(one.name, ()), *one.x, *one.y)
        alike: dict[tuple[float, ...], list[str]] = {}
        for name, points in lines.items():
            alike.setdefault(points, []).append(name)
        for names in alike.values():
            if len(names) > 1:
                places.setdefault(tuple(names), []).append(against)
    texts = []
    for each, where in places.items():
        there = "in all panels" if 1 < len(where) == len(panels) else ", ".join(where)
        texts.append(f"{' and '.join(each)} {there}".strip())
    return f" On one another: {listed(texts)}." if texts else ""


def window_described(game: Game) -> Description:
    """Return the first window of a `Game` of quotas: what each site admitted, and what it believed was left.

    Raises
    ------
    ValueError
        It has more sites than looks keep.
    """
    window, limit = game.quota.window, game.quota.limit
    looks = [look for look in game.looks if look["step"] <= window]
    if not looks or "by_site" not in looks[0]:
        raise ValueError(f"a figure of a game of quotas shows eight sites at most; this one has {game.sites:,}")
    steps = np.array([0, *(look["step"] for look in looks)], dtype=float)
    names = tuple(f"site {number}" for number in range(game.sites))
    own = np.array([look["by_site"] for look in looks], dtype=float)
    left = np.array([look["left"] for look in looks], dtype=float)
    admitted: list[Item] = [Rule(limit, _LIMIT)]
    total = np.r_[0.0, own.sum(axis=1)]
    admitted.append(Series("all sites", steps, total, Look("#333333", "", width=2.0), label="all sites"))
    believed: list[Item] = []
    for number, name in enumerate(names):
        look = mark(name, names)
        plain = Look(look.colour, "", width=1.2)
        admitted.append(Series(name, steps, np.r_[0.0, own[:, number]], plain))
        before = steps[1:] < window  # at its end the next one has begun
        believed.append(Series(name, steps[1:][before], np.maximum(left[before, number], 0.0), plain, label=name))
    x = Axis("step of the first window", ends=(0.0, float(window)), most=5, text=short)
    top = 1.08 * max(float(limit), float(total.max()))
    made = [
        Panel(admitted, x, Axis("cost", ends=(0.0, top), text=short), "Admitted"),
        Panel(believed, x, Axis("cost", ends=(0.0, top), text=short), "What each site could still admit by itself"),
    ]
    subtitle = f"{count(game.sites, 'site')} · limit {limit:,} · window {count(window, 'step')}"
    title = f"{game.protocol} against {game.adversary}"
    return Description(made, 2, 3.6, title, subtitle, "Horizontal line: the limit.")
