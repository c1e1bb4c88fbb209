#!/bin/sh
# quantile-python 1.1: the 99th percentile of 500 times is their median, as a Summary of aioprometheus 23.12.0 shows it.
#
# Expected: the default targets are "the median [...] at a one percent error limit and the 99th percentile at the a 0.1
# percent error limit": of the times 1, ..., n, in whatever order, at least 0.49 n and 0.989 n.
# Seen: a value that belongs at the end of the list of samples is put there twice. The first 512 values are sorted before
# they go into it: all but one of them count double, so that the value of each rank is that of half the rank. Of a growing
# stream all values do, however long it is. In random order the 99th percentile of 10,000 is still the 94th.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check quantile-python==1.1 aioprometheus==23.12.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import random

from aioprometheus import Summary
from quantile import Estimator

for order, count in ("random", 500), ("random", 10_000), ("growing", 100_000):
    times = list(range(1, count + 1))
    if order == "random":
        random.Random(1).shuffle(times)
    estimator, summary = Estimator(), Summary(f"{order}_{count}", "times of requests")
    for time in times:
        estimator.observe(time)
        summary.observe({}, time)
    values = estimator.query(0.5), estimator.query(0.99), summary.get({})[0.99]
    print(order, count, *(f"{value / count:.2f}" for value in values))
PYTHON
)
echo "$seen"
test "$seen" = "random 500 0.26 0.50 0.50
random 10000 0.48 0.94 0.94
growing 100000 0.25 0.50 0.50"
