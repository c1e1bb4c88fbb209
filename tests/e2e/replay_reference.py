"""Play scenarios again and compare their tables with the reference results, cell by cell except for `seconds`.

    python tests/e2e/replay_reference.py [NAME…] [--under SECONDS] [--sample] [--exact] [--workers N]

Without names the cheap scenarios are replayed: those whose reference games took less than --under seconds together, on
one core. With --sample every scenario takes part, also the long ones, but of each only the quickest game of every
protocol against every adversary; claims are not compared then.

Numbers that agree to 9 digits are counted apart: another processor adds up long sums in another order.
Exit status 1 if anything else differs, or, with --exact, if a single digit does.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Final

import numpy as np

from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.experiments.claims.expressions import columns_of
from disttrack.simulator.experiments.results.formats import duration
from disttrack.simulator.experiments.results.stored import opened_table, read_manifest, table_file
from disttrack.simulator.experiments.results.write import write_tables
from disttrack.simulator.experiments.runs import jobs
from disttrack.simulator.experiments.runs.estimate import cores
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

ROOT: Final = Path(__file__).resolve().parents[2]
REFERENCE: Final = ROOT / "results" / "reference"
CHEAP: Final = 60.0
"""Seconds on one core under which a scenario is cheap."""
LONGEST: Final = 0.5
"""Seconds that a game of a sample may have taken."""
ROUNDING: Final = 1e-9
"""Relative difference up to which two numbers are taken for the same sum, added up in another order."""

Row = dict[str, str]
Game = tuple[str, str]
"""Point and trial of a game, as the tables have them."""


@dataclass(frozen=True)
class Compared:
    """What came of the replay of a scenario.

    Attributes
    ----------
    games
        How many games were compared.
    rounded
        How many numbers differ in their last digits.
    difference
        The first row that differs; empty if none does.
    """

    games: int
    rounded: int = 0
    difference: str = ""


def recorded() -> list[str]:
    """Return the shipped scenarios that have reference results."""
    return sorted({path.parent.name for path in REFERENCE.glob("*/manifest.json")} & set(shipped_scenarios()))


def seconds_of(name: str) -> float:
    """Return how long the reference games of a scenario took, on one core together."""
    return sum(_seconds(row) for row in table(REFERENCE / name / "trials.csv"))


def replay(name: str, workers: int) -> Compared:
    """Play all games of a scenario and compare trials.csv, kinds.csv and claims.csv."""
    reference = REFERENCE / name
    with tempfile.TemporaryDirectory() as folder, seeds_as_of(reference):
        run(_scenario(name), out=folder, workers=workers, fresh=True)
        games = len(table(reference / "trials.csv"))
        return Compared(games, *compare(Path(folder), reference, ("trials.csv", "kinds.csv", "claims.csv")))


@contextmanager
def seeds_as_of(reference: Path) -> Iterator[None]:
    """Let games have the seeds that a reference result has: older ones have numbers of 63 bits in place of 53."""
    present, long = jobs.game_seed, max(read_manifest(reference / "manifest.json")["seeds"]) >= 2**53
    jobs.game_seed = seed_of_63_bits if long else present
    try:
        yield
    finally:
        jobs.game_seed = present


def seed_of_63_bits(seed: int, trial: int) -> int:
    """Return the seed of a trial as `jobs.game_seed` gave it before its numbers were below 2^53."""
    (state,) = np.random.SeedSequence([seed, trial]).generate_state(1, "uint64")
    return int(state) >> 1


def replay_sample(name: str) -> Compared:
    """Play the quickest game of every protocol against every adversary, and compare its rows."""
    scenario, reference = _scenario(name), REFERENCE / name
    chosen = sample(table(reference / "trials.csv"))
    games = [
        (place, int(row["trial"]), int(row["seed"]), scenario.task.play(scenario.points[place], int(row["seed"])))
        for row in chosen
        for place in [int(row["point"])]
    ]
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder), scenario, games)
        only = {(row["point"], row["trial"]) for row in chosen}
        return Compared(len(games), *compare(Path(folder), reference, ("trials.csv", "kinds.csv"), only))


def sample(trials: Sequence[Row]) -> list[Row]:
    """Return the quickest game of every protocol against every adversary, in the order of the table."""
    quickest: dict[tuple[str, str], Row] = {}
    for row in trials:
        sides = row["protocol"], row["adversary"]
        if _seconds(row) < (_seconds(quickest[sides]) if sides in quickest else LONGEST):
            quickest[sides] = row
    kept = [(row["point"], row["trial"]) for row in quickest.values()]
    return [row for row in trials if (row["point"], row["trial"]) in kept]


def compare(made: Path, reference: Path, names: Sequence[str], only: set[Game] | None = None) -> tuple[int, str]:
    """Return how many numbers differ by rounding, and the first other difference between the tables of two results.

    Parameters
    ----------
    only
        The games to compare; all if left out.
    """
    rounded = 0
    for name in names:
        if not table_file(reference / name).is_file():
            return rounded, f"{name}: is missing in the reference results"
        mine, theirs = (
            [row for row in table(folder / name) if only is None or _game(row) in only] for folder in (made, reference)
        )
        for number, (new, old) in enumerate(zip(mine, theirs, strict=False), start=1):
            close, other = compare_rows(new, old)
            rounded += close
            if other:
                where = " ".join(f"{key} {new[key]}" for key in ("point", "trial", "name", "group") if new.get(key))
                return rounded, f"{name}, row {number} ({where}), {other}"
        if len(mine) != len(theirs):
            return rounded, f"{name}: has {len(mine):,} rows, the reference has {len(theirs):,}"
    return rounded, ""


def compare_rows(new: Row, old: Row) -> tuple[int, str]:
    """Return how many cells of two rows differ by rounding, and the first that differs otherwise.

    What was measured on `seconds` is left out, like `seconds` itself, and so are columns that are newer than the
    reference.
    """
    if missing := [column for column in old if column not in new]:
        return 0, f"columns: the reference also has {', '.join(missing)}"
    timed = {"seconds"}
    if "measure" in new and "seconds" in columns_of(new["measure"]):
        timed |= {"value", "low", "high", "verdict", "control", "false_alarm"}
    differing = [column for column, value in old.items() if column not in timed and value != new[column]]
    others = [column for column in differing if not _close(new[column], old[column])]
    said = [f"{column}: {new[column] or 'empty'}, the reference has {old[column] or 'empty'}" for column in others[:1]]
    return len(differing) - len(others), "".join(said)


def _close(new: str, old: str) -> bool:
    """Tell whether two cells are numbers with a fraction that differ by rounding only."""
    if "." not in new + old:
        return False
    try:
        return math.isclose(float(new), float(old), rel_tol=ROUNDING)
    except ValueError:
        return False


def table(path: Path) -> list[Row]:
    """Return the rows of a table, cells as text; a name that comes twice in the header is numbered."""
    with opened_table(path) as file:
        lines = csv.reader(TextIOWrapper(file, encoding="utf-8", newline=""))
        header = next(lines)
        names = [name if name not in header[:place] else f"{name} {place}" for place, name in enumerate(header)]
        return [dict(zip(names, line, strict=False)) for line in lines]


def _seconds(row: Row) -> float:
    """Return the seconds of a game; 0 of one that repeats another, whose row has none."""
    return float(row["seconds"] or 0)


def _game(row: Row) -> Game:
    return row["point"], row["trial"]


def _scenario(name: str) -> Scenario:
    return load(shipped_scenarios()[name])


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, print a line per scenario, and return the exit status."""
    parser = argparse.ArgumentParser(description="Play scenarios again and compare them with the reference results.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios; the cheap ones if left out")
    parser.add_argument("--under", type=float, default=CHEAP, help="seconds below which one is cheap (%(default)s)")
    parser.add_argument("--sample", action="store_true", help="only a quick game of each protocol and adversary")
    parser.add_argument("--exact", action="store_true", help="let no digit differ")
    parser.add_argument("--workers", type=int, default=cores(), help="worker processes (%(default)s)")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.names) - set(recorded()))
    if unknown:
        parser.error(f"no reference results of {', '.join(unknown)} (there are: {', '.join(recorded())})")
    names = given.names or [name for name in recorded() if given.sample or seconds_of(name) < given.under]
    status = 0
    for name in names:
        begun = time.perf_counter()
        try:
            found = replay_sample(name) if given.sample else replay(name, given.workers)
        except (ScenarioError, RunError) as error:
            found = Compared(0, difference=f"cannot be played: {error}")
        same = f"same but for the last digits of {found.rounded:,} numbers" if found.rounded else "same"
        said = found.difference or f"{same}, {found.games:,} games, {duration(time.perf_counter() - begun)}"
        if not (found.games or found.difference):
            said = f"no game took less than {LONGEST:g} s"
        print(f"{name}: {said}", flush=True)
        status = max(status, int(bool(found.difference) or (given.exact and found.rounded > 0)))
    return status


if __name__ == "__main__":
    sys.exit(main())
