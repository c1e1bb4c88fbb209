"""The `spread` and `matrix` figures: a row per protocol, of a measured column or of games that held."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from disttrack.simulator.experiments.results.formats import NOTHING, swept_ticks
from disttrack.simulator.experiments.results.lines import Line, lines
from disttrack.simulator.experiments.results.read import Tables
from disttrack.simulator.experiments.scenario.settings import of_network, setting_in_words
from disttrack.simulator.game.columns import ADVERSARY, FAILED, OK
from disttrack.simulator.game.tasks.answers import over_alpha
from disttrack.simulator.kinds.names import count, label_of, name_of, with_name
from disttrack.simulator.shown.plots.description import Axis, Cells, Description, Fill, Look, Panel, Series
from disttrack.simulator.shown.plots.kinds import Matrix, Spread
from disttrack.simulator.shown.plots.marks import mark
from disttrack.simulator.shown.plots.panels import column_of, measured_label, value_axis
from disttrack.simulator.shown.plots.sweep import absent, infinite_note, left_out, missing_note

_ALSO: Final = (Look("#555555", "X", "", order=2.9), Look("#222222", "2", "", order=2.9))
"""Marks of further columns, by order."""
_LONG: Final = 10**7
"""From here on whole numbers are written as powers."""
_COLOURS: Final = 8
"""Kinds above which all rows look alike: their names are beside them."""
_PLAIN: Final = Look("#0072B2", "o", "")
_LIMIT: Final = Look(marker="|", dashes="", size=15, edge=2, order=2.5)


class _Mark(NamedTuple):
    """A further mark of each row: its role, its place (a column, whose median it is, or a number), look and name."""

    role: str
    at: str | float
    look: Look
    text: str

    def drawn(self, label: str, row: int, games: pd.DataFrame) -> Series:
        """Return the mark in the row of these games."""
        at = float(games[self.at].astype(float).median()) if isinstance(self.at, str) else self.at
        return Series(label, [at], [row], self.look, self.role)


def _marks(plot: Spread, tables: Tables) -> list[_Mark]:
    """Return the limit and the further columns of a `spread` figure."""
    marks = []
    if plot.limit != "":
        at = column_of(tables.trials, "limit", plot.limit) if isinstance(plot.limit, str) else plot.limit
        marks.append(_Mark("limit", at, _LIMIT, plot.limit_says or str(plot.limit)))
    also = [name.strip() for name in plot.also.split(",") if name.strip()]
    for name, look in zip(also, _ALSO, strict=False):
        label = measured_label(name, tables)
        marks.append(_Mark(label, column_of(tables.trials, "also", name), look, label))
    return marks


def spread(plot: Spread, tables: Tables) -> Description:
    """Return a `spread` figure."""
    column, marks = column_of(tables.trials, "y", plot.y), _marks(plot, tables)
    kinds = tables.protocols
    rows: dict[str, list[Series]] = {}
    groups = _groups(tables)
    if plot.ordered:
        groups.sort(key=lambda group: -float(group[2][column].astype(float).median()))
    for label, line, games in groups:
        values = games[column].to_numpy(dtype=float)
        values = values[np.isfinite(values)]
        if len(values):
            own = mark(line.protocol, kinds)  # its name says which variant it is
            look = _PLAIN if len(kinds) > _COLOURS else Look(own.colour, own.marker, "")
            further = [one.drawn(label, len(rows), games) for one in marks]
            rows[label] = [*_row(label, len(rows), values, look, plot.centre), *further]
    if not rows:
        raise ValueError(f"{plot.y!r} has no numbers")
    entries: list[tuple[Look | Fill, str]] = [(mark.look, mark.text) for mark in marks]
    if len(kinds) > _COLOURS:
        entries.insert(int(plot.limit != ""), (_PLAIN, measured_label(plot.y, tables)))
    series = [one for items in rows.values() for one in items]
    shown = np.concatenate([one.x for one in series])
    every = tables.trials[column].dropna().astype(float)
    many = int(np.isinf(every).sum())
    x = value_axis(measured_label(plot.y, tables), shown[np.isfinite(shown)])
    sizes = [len(one) for _, _, games in groups if len(one := games[np.isfinite(games[column].astype(float))])]
    says = "" if max(sizes) == 1 else f"marks: {plot.centre}s, thick: 5 % to 95 %, thin: all games"
    note = f"Left out: infinite values, in {many:,} of {count(len(every), 'game')}." if many else ""
    note += left_out([label for label, _, _ in groups if label not in rows], "without a value")
    named = pd.concat([games[column] for label, _, games in groups if label in rows])
    note += missing_note(named)
    return Description(
        [Panel(series, x, Axis(names=list(rows)))], 1, 0.85 + 0.3 * max(3, len(rows)), marks=says, note=note.strip(),
        legend=entries, games=[*named.dropna().index],
    )  # fmt: skip


def _groups(tables: Tables) -> list[tuple[str, Line, pd.DataFrame]]:
    """Return label, line and games of each row, in the order of the scenario."""
    several = tables.trials.adversary.nunique() > 1
    groups = []
    for line in lines(tables.trials):
        for adversary, games in line.games.groupby(ADVERSARY, sort=False):
            parts = [row_label(line)] + [f"against {adversary}"] * several
            groups.append((", ".join(parts), line, games))
    return groups


def row_label(line: Line) -> str:
    """Return the label of a line without parameters that move with another one, long numbers as powers.

    Parameters of a network are not left out: crashes are no other word for a link.
    """
    kept: list[str] = []
    for axis in line.free:
        if of_network(axis) or not any(line.all_games.groupby(other)[axis].nunique().max() <= 1 for other in kept):
            kept.append(axis)
    setting = {axis: line.games[axis].iloc[0] for axis in kept}
    return label_of(line.protocol, [*line.unusual, *setting_in_words(setting, _setting)])


def _setting(axis: str, value: object) -> str:
    if isinstance(value, int | np.integer) and value >= _LONG:
        return f"{name_of(axis)}={swept_ticks([int(value)])[0]}"
    return with_name(axis, value)


def _row(label: str, place: int, values: npt.NDArray[np.float64], look: Look, centre: str) -> list[Series]:
    """Return the games of a row: their centre, all of them as a thin line, 5 % to 95 % as a thick one."""
    at = [place, place]
    middle = float(np.mean(values) if centre == "mean" else np.median(values))
    thin, thick = Look(look.colour, width=0.9, order=2), Look(look.colour, width=4, alpha=0.35, order=2.1)
    return [
        Series(label, [middle], [place], look),
        Series(label, [float(np.min(values)), float(np.max(values))], at, thin, "range"),
        Series(label, [float(share) for share in np.quantile(values, (0.05, 0.95))], at, thick, "5 % to 95 %"),
    ]


_LEAST: Final = 0.005
"""A smaller error is 0.00 with two digits."""
_FAILED: Final = ("#FFFFFF", "#F6C7A0", "#D55E00", "#7A3000")
"""White where all games held, darker with each that failed: lightness alone shows it."""


def matrix(plot: Matrix, tables: Tables) -> Description:
    """Return a `matrix` figure."""
    trials = tables.trials.assign(_error=over_alpha(tables.trials))
    trials = trials[trials.verdict.isin((OK, FAILED))]
    if trials.empty:
        raise ValueError("no verdict, without an alpha")
    adversaries = list(dict.fromkeys(trials.adversary))
    names = [name.replace(", ", ",\n").replace("(", "\n(") for name in adversaries]  # a parameter on each line
    if len(adversaries) > 5:  # narrow columns
        names = [name.replace("-", "-\n", 1) for name in names]
    by_result = {result: lines(trials[trials.result == result]) for result in tables.scenarios}
    rows = {result: part for result, part in by_result.items() if part}
    panels = [
        Panel([_cells(part, adversaries)], Axis(names=names), Axis(names=[row_label(line) for line in part]),
              result if tables.several else "")
        for result, part in rows.items()
    ]  # fmt: skip
    note = "Cells: games held of played"
    note += f", and the median of their {tables.error}s, in units of α." if trials["_error"].notna().any() else "."
    note += f" Held: {tables.held}." if tables.held else ""
    note += " Darker: more failed." if not trials.ok.all() else ""
    cells = [item for panel in panels for item in panel.items if isinstance(item, Cells)]
    lacking = "games with a promise" if len(trials) < len(tables.trials) else "games"
    note += f" Empty: no {lacking}." if any(np.isnan(one.values).any() for one in cells) else ""
    note += " Faults: controls of claims." if plot.controls else ""
    note += absent(lines(tables.trials), trials.index, "nothing promised or judged", row_label)
    seen = [
        f"{row_label(line)} holds in {int(line.games.ok.astype(bool).sum()):,} of {len(line.games):,}"
        for part in rows.values()
        for line in part
    ]
    height = 0.75 + 0.46 * sum(map(len, rows.values())) + 0.15 * max(name.count("\n") for name in names)
    return Description(
        panels, 1, height + 0.35 * tables.several, "Games that held, by protocol and adversary",
        note=note + infinite_note(trials["_error"]),
        caption=f"Games that held, by protocol: {'; '.join(seen)}.",
        width=min(20.0, max(8.0, 1.9 + 0.82 * len(adversaries))), share=("all", "none"),
    )  # fmt: skip


def _cells(rows: list[Line], adversaries: list[str]) -> Cells:
    """Return the share of games that failed in each cell, with its text."""
    failed = np.full((len(rows), len(adversaries)), np.nan)
    texts = [[""] * len(adversaries) for _ in rows]
    for row, line in enumerate(rows):
        for adversary, games in line.games.groupby(ADVERSARY):
            column, held = adversaries.index(str(adversary)), int(games.ok.sum())
            failed[row, column] = 1 - held / len(games)
            worst = float(games["_error"].median())
            texts[row][column] = f"{held:,}/{len(games):,}" + f"\n{_error(worst)} α" * (worst == worst)
    return Cells("share of games that failed", failed, texts, _FAILED)


def _error(value: float) -> str:
    """Return an error in a cell, where one above 0 does not look like 0.

    >>> [_error(value) for value in (0.0, 0.001, 0.914, np.inf)]
    ['0', '<0.01', '0.91', '∞']
    """
    if value == np.inf:
        return "∞"
    return f"{value:.2f}" if value >= _LEAST else "<0.01" if value > NOTHING else "0"
