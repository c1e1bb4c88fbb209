#!/bin/sh
# pyformance 0.4: the least of three sizes of 5 to 7 GB is 2.1 GB; one value ends a measured spread.
#
# Expected: `get_min` is the least value that was added, `get_max` the largest, and the variance that of all values.
# Seen: pyformance starts its minimum at 2^31 - 1 and its maximum at -(2^31 - 1), so that sizes in bytes or times in
# ns above (below) never reach them. A running mean of -1 stands for "no value yet": of 999 differences of -1 and one
# of 1,000 the variance is 0 and not 1,002, since all before the last one is forgotten.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyformance==0.4
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from statistics import variance

from pyformance.meters import Histogram

sizes = Histogram()
for size in 5_000_000_000, 6_000_000_000, 7_000_000_000:
    sizes.add(size)
print("sizes", sizes.get_min(), sizes.get_mean(), sizes.get_max())
for last in 1000, 5000:
    values = [-1] * 999 + [last]
    differences = Histogram()
    for value in values:
        differences.add(value)
    print("variance", differences.get_var(), round(variance(values)))
PYTHON
)
echo "$seen"
test "$seen" = "sizes 2147483647.0 6000000000.0 7000000000
variance 0.0 1002
variance 0.0 25010"
