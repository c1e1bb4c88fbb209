#!/bin/sh
# python-dp 1.1.5: each private percentile of whole numbers between 500 and 1,499 is 0, below the lower bound.
#
# Expected: `Percentile` "finds the value in the dataset with that percentile", here at a loss of epsilon = 20 and with
# bounds 500 and 1,500 within a few places of the right one, as it does with dtype "float".
# Seen: with dtype "int", which is the default, and "int64" it returns 0.0 for each percentile, without an error.
# `Median`, with the same numbers, bounds and dtype, is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check python-dp==1.1.5
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from pydp.algorithms.laplacian import Median, Percentile

numbers, bounds = list(range(500, 1500)), {"epsilon": 20, "lower_bound": 500, "upper_bound": 1500}
for kind in {}, {"dtype": "int64"}, {"dtype": "float"}:
    values = [Percentile(percentile=rank / 100, **bounds, **kind).quick_result(numbers) for rank in (10, 50, 90)]
    near = [abs(value - true) < 30 for value, true in zip(values, (600, 1000, 1400))]
    median = abs(Median(**bounds, **kind).quick_result(numbers) - 1000) < 30
    print(kind, values if not any(near) else near, "median", median)
PYTHON
)
echo "$seen"
test "$seen" = "{} [0.0, 0.0, 0.0] median True
{'dtype': 'int64'} [0.0, 0.0, 0.0] median True
{'dtype': 'float'} [True, True, True] median True"
