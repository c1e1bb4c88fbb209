"""Judge results again without playing: the present claims of the scenario files, on the games already played.

    python -m benchmarks.rejudge [NAME…] [--results FOLDER] [--out FOLDER]

The tables of each scenario are written to FOLDER/NAME (build/rejudged), including claims.csv. Games ended by an error
are left out, and so are controls with measures of single kinds of messages, which the tables do not contain. Nor do
the tables show which games drew no coins: games of a point that differ only in the seed and the time count as such,
in scenarios with such games in claims.csv.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.claims.columns import KINDS, PLACE
from disttrack.simulator.claims.expressions import columns_of
from disttrack.simulator.claims.findings import Finding
from disttrack.simulator.results.formats import number
from disttrack.simulator.results.stored import text_rows
from disttrack.simulator.results.write import PlacedRecord, write_tables
from disttrack.simulator.scenario.load import Scenario, load
from disttrack.simulator.scenario.shipped import shipped_scenarios
from disttrack.simulator.tasks.base import Record

OF_KIND: Final = tuple(name for name in KINDS if name not in PLACE)


def judged_again(scenario: Scenario, folder: Path, out: Path) -> list[Finding]:
    """Judge the claims of a scenario on the games in a folder of results."""
    kinds: defaultdict[tuple[str, str], dict[str, list[Any]]] = defaultdict(lambda: {name: [] for name in OF_KIND})
    for row in text_rows(folder / "kinds.csv"):
        for name, values in kinds[row["point"], row["trial"]].items():
            values.append(_value(row[name]))
    some = any(row.get("played", "") != row["games"] for row in text_rows(folder / "claims.csv"))
    games = _played(text_rows(folder / "trials.csv"), {}, some, kinds)
    claims = scenario.head.claims
    broken = text_rows(folder / "controls.csv")
    controls = [
        game
        for control in scenario.controls
        if not any(name.startswith(("words_", "messages_")) for name in columns_of(claims[control.claim].measure))
        for game in _played(
            [row for row in broken if row["claim"] == claims[control.claim].name],
            {instead: point.number for instead, point in zip(control.instead, control.points, strict=True)},
            some,
        )
    ]
    out.mkdir(parents=True, exist_ok=True)
    return write_tables(out, scenario, games, controls)[0]


def _played(
    rows: Sequence[dict[str, str]], points: dict[int, int], some: bool, kinds: Any = None
) -> Iterator[PlacedRecord]:
    """Yield the games of rows, those of a broken point under its own number; `some` may have drawn no coins."""
    alike: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    count: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        count[row["point"]] += 1
        alike[row["point"]].add(tuple(text for name, text in row.items() if name not in ("trial", "seed", "seconds")))
    for row in rows:
        if not row.get("error"):
            point, trial = row["point"], row["trial"]
            values = {name: _value(text) for name, text in row.items()}
            coins = not some or count[point] == 1 or len(alike[point]) > 1
            of_kind = dict((kinds or {}).get((point, trial), {}))
            place = points.get(int(point), int(point))
            yield place, int(trial), int(row["seed"]), Record(values, kinds=of_kind, coins=coins)


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text) if text else None
    except ValueError:
        return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge scenarios again and print their findings; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rejudge", description="Judge results again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios; all that have results if left out")
    parser.add_argument("--results", type=Path, default=Path("results/reference"), metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=Path("build/rejudged"), metavar="FOLDER")
    given = parser.parse_args(arguments)
    for name in given.names or sorted(shipped_scenarios()):
        if not (given.results / name).is_dir():
            continue
        print(name)
        for one in judged_again(load(shipped_scenarios()[name]), given.results / name, given.out / name):
            line = f"  {one.verdict} {one.name} [{one.group}]: {number(one.value)}, wanted {one.bound}"
            line += f"; {one.games:,} games; false alarm {number(one.false_alarm)}"
            print(f"{line}; power {number(one.power)}, {number(one.of_goal)} of its goal")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
