"""Print how many mutants of each module were caught: ``mutmut results --all true | python .ci/mutant_scores.py``."""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable

LINE = re.compile(r"\s*(?P<module>[\w.]+)\.x\S+: (?P<status>[a-z ]+)")
CAUGHT = ("killed", "timeout", "segfault")


def scores(lines: Iterable[str]) -> str:
    """Return a table with a row a module: mutants that were tried, those caught, and the share of these in percent.

    >>> print(scores(["    a.b.x_f__mutmut_1: killed", "a.b.x_f__mutmut_2: survived", "a.b.xǁCǁg__mutmut_1: no tests"]))
    | module | tried | caught | % | reached by no test | not tried |
    | --- | --- | --- | --- | --- | --- |
    | `a.b` | 2 | 1 | 50 | 1 | 0 |
    | all | 2 | 1 | 50 | 1 | 0 |
    """
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        if match := LINE.match(line):
            for name in (f"`{match['module']}`", "~all"):
                found[name][match["status"].strip()] += 1
    rows = ["| module | tried | caught | % | reached by no test | not tried |", "| --- | --- | --- | --- | --- | --- |"]
    for name, of in sorted(found.items()):
        caught = sum(of[status] for status in CAUGHT)
        tried = caught + of["survived"] + of["suspicious"]
        share = f"{100 * caught / tried:.0f}" if tried else "–"
        rows.append(f"| {name.strip('~')} | {tried} | {caught} | {share} | {of['no tests']} | {of['not checked']} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(scores(sys.stdin))
