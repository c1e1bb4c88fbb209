#!/bin/sh
# scales 1.0.9: of times of 10 and 1,000 ms the 34th percentile is 980 ms and the 66th 30 ms; of 99 times none exists.
#
# Expected: "the values at those percentiles, interpolating if necessary", which grow with their rank, and which lie
# near the value of that rank.
# Seen: of the two values between which a percentile lies the upper is taken for the lower, so that it moves from the
# upper to the lower one as its rank grows. Where the last rank is met exactly (0.75 of 3 values, 0.95 of 19, 0.99 of
# 99) all percentiles that are asked for are NaN. A uniform sample of 1,028 times of 7 ms contains one of 0 ms.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check scales==1.0.9
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from greplin.scales.samplestats import UniformSample

for times in (10, 1000), range(1, 99), range(1, 100), range(1, 101):
    sample = UniformSample()
    for time in times:
        sample.update(time)
    print(len(times), *(round(value, 2) for value in sample.percentiles([0.34, 0.5, 0.66, 0.99])))
sample = UniformSample()
for _ in range(1028):
    sample.update(7)
print("least of 1028 times of 7:", min(sample.samples()))
PYTHON
)
echo "$seen"
test "$seen" = "2 980.2 505.0 29.8 1000
98 33.34 49.5 65.66 98
99 nan nan nan nan
100 34.66 50.5 66.34 99.01
least of 1028 times of 7: 0.0"
