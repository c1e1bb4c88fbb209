"""Search for schedules that break a promise, and print them, and a table of faults and protocols.

``python tests/fleet/simulated/sim_search.py deterministic lease --schedules 2000`` draws as many for each protocol;
without names, for all that can be served. Of each breach of a protocol, the first schedule is shortened, printed and
classed: the rule fails if a game with the same faults breaks the same promise, and the deployment otherwise. After
``python -m coverage run --source src/disttrack/fleet/live``, the lines of the live code are counted that are reached.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "live")]

from sim_class import classed
from sim_faults import KINDS
from sim_run import Outcome, play, shorten
from sim_schedule import draw_schedule, read_schedule, served


def main() -> int:
    """Search; return 1 if a schedule breaks a promise."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("protocols", nargs="*", help="Kinds, or kinds with parameters; all that can be served.")
    parser.add_argument("--schedules", type=int, default=60, help="Number of schedules of each protocol.")
    parser.add_argument("--first", type=int, default=0, help="Seed of the first one.")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), help="Kinds of faults.")
    parser.add_argument("--long", action="store_true", help="Do not shorten the first schedule of a breach.")
    parser.add_argument(
        "--any", action="store_true", help="Stop at a breach; --schedules is of all protocols together."
    )
    parser.add_argument("--schedule", type=Path, help="Play only the schedule of this file, as it was printed.")
    asked = parser.parse_args()
    if asked.schedule is not None:
        outcome = play(read_schedule(asked.schedule.read_text("utf-8")))
        print("\n".join([*outcome.breaches, classed(outcome)]) if outcome.breaches else "no promise is broken")
        return int(bool(outcome.breaches))
    if asked.any:
        return _any(asked.protocols or served(), range(asked.first, asked.first + asked.schedules), asked.kinds)
    found: dict[str, list[Outcome]] = {}
    used: dict[str, Counter[str]] = {}
    for name in asked.protocols or served():
        began, found[name], used[name] = time.process_time(), [], Counter()
        for seed in range(asked.first, asked.first + asked.schedules):
            schedule = draw_schedule(name, seed, asked.kinds)
            used[name].update({fault.kind for fault in schedule.faults})
            outcome = play(schedule)
            if outcome.breaches:
                if not any(outcome.names <= other.names for other in found[name]):
                    outcome = outcome if asked.long else shorten(outcome)
                    print(f"{outcome.schedule}\n  -> {'; '.join(outcome.breaches[:2])}", flush=True)
                    print(f"  -> {classed(outcome)}", flush=True)
                found[name].append(outcome)
        seconds = time.process_time() - began
        print(f"{name}: {asked.schedules} schedules, {len(found[name])} found, {seconds:.1f} s of CPU", flush=True)
    print(table(used, found))
    return int(any(found.values()))


def _any(names: Sequence[str], seeds: range, kinds: Sequence[str]) -> int:
    """Play schedules of the protocols in turn, until one breaks a promise; return whether one did."""
    for number, seed in enumerate(seeds):
        outcome = play(draw_schedule(names[number % len(names)], seed, kinds))
        if outcome.breaches:
            print(f"found by schedule {number + 1}, {outcome.schedule.protocol}, seed {seed}: {outcome.breaches[0]}")
            return 1
    return 0


def table(used: dict[str, Counter[str]], found: dict[str, list[Outcome]]) -> str:
    """Return a row per protocol and a column per kind of fault: schedules, found, and the shortest length."""
    kinds = [kind for kind in KINDS if any(kind in one for one in used.values())]
    rows = [["protocol", *kinds]]
    for name, counts in used.items():
        row = [name]
        for kind in kinds:
            hits = [one for one in found[name] if any(fault.kind == kind for fault in one.schedule.faults)]
            shortest = f", {min(len(one.schedule.faults) for one in hits)}" if hits else ""
            row.append(f"{counts[kind]}, {len(hits)}{shortest}")
        rows.append(row)
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


if __name__ == "__main__":
    sys.exit(main())
