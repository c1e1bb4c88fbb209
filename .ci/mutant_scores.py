"""Print how many mutants of each room were caught: ``mutmut results --all true | python .ci/mutant_scores.py``.

With a file of names, one per line, no other mutants count. Mutants that no test can distinguish from the code
are listed, with the reason, in ``equivalent_mutants.txt`` next to this file; they are not counted.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path

from scipy.stats import binomtest

LINE = re.compile(r"\s*(?P<name>(?P<room>[\w.]+)\.\w+\.x\S+): (?P<status>[a-z ]+)")
CAUGHT = ("killed", "segfault", "timeout")
MISSED = ("survived", "suspicious", "no tests")
HEAD = "| room | made | tried | equivalent | caught | by time | missed | no test | % | interval |"


def interval(caught: int, tried: int, made: int) -> str:
    """Return the Clopper-Pearson interval of a share in percent, or the share itself if all were tried."""
    if not tried or tried == made:
        return "–" if not tried else "all tried"
    low, high = binomtest(caught, tried).proportion_ci(0.95, method="exact")
    return f"{100 * low:.1f}-{100 * high:.1f}"


def scores(lines: Iterable[str], names: Collection[str] | None = None, equivalent: Collection[str] = ()) -> str:
    """Return a table with one row per room: mutants made, tried, caught and missed, and the share that was caught.

    Mutants caught by time made a test run for too long. Some of the missed ones are reached by no test.

    >>> print(scores(["    a.b.x_f__mutmut_1: killed", "a.b.x_f__mutmut_2: survived", "a.b.xǁCǁg__mutmut_1: no tests"]))
    | room | made | tried | equivalent | caught | by time | missed | no test | % | interval |
    | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    | `a` | 3 | 3 | 0 | 1 | 0 | 2 | 1 | 33 | all tried |
    | all | 3 | 3 | 0 | 1 | 0 | 2 | 1 | 33 | all tried |
    >>> print(scores(["a.b.x_f__mutmut_1: timeout", "a.b.x_f__mutmut_2: not checked"]).splitlines()[-1])
    | all | 2 | 1 | 0 | 1 | 1 | 0 | 0 | 100 | 2.5-100.0 |
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        if match := LINE.match(line):
            name, status = match["name"], match["status"].strip()
            if name in equivalent and status in CAUGHT:
                raise SystemExit(f"{name} is listed as equivalent and was caught")
            for room in (f"`{match['room']}`", "~all"):
                counts[room]["made"] += 1
                if names is None or name in names:
                    counts[room]["equivalent" if name in equivalent else status] += 1
    rows = [HEAD, "| " + " | ".join(["---"] * HEAD.count(" | ") + ["---"]) + " |"]
    for room, of in sorted(counts.items()):
        caught, missed = (sum(of[status] for status in statuses) for statuses in (CAUGHT, MISSED))
        judged = caught + missed
        share = f"{100 * caught / judged:.0f}" if judged else "–"
        cells = [room.strip("~"), of["made"], judged + of["equivalent"], of["equivalent"], caught, of["timeout"]]
        cells += [missed, of["no tests"], share, interval(caught, judged, of["made"] - of["equivalent"])]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def named(path: Path) -> set[str]:
    """Return the first words of the lines of a file, without comments."""
    lines = path.read_text("utf-8").splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


if __name__ == "__main__":
    taken = named(Path(sys.argv[1])) if sys.argv[1:] else None
    print(scores(sys.stdin, taken, named(Path(__file__).with_name("equivalent_mutants.txt"))))
