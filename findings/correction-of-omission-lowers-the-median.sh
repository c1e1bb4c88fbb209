#!/bin/sh
# hdrhistogram 0.10.8: corrected for coordinated omission, the median of requests of 15 ms is 5 ms.
#
# Expected: as in the Java and C libraries of HdrHistogram, a value above the expected interval also records values that
# decrease by the interval, none of them below it: 15 ms, where a request was expected each 10 ms, records 15 alone.
# Seen: the rest below the interval is recorded too. Of 1,000 requests of 15 ms, half of the corrected values are 5 ms,
# so that minimum, median and mean are better than without the correction. Of a multiple of the interval (30 ms) the
# values are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check hdrhistogram==0.10.8
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from hdrh.histogram import HdrHistogram

for value in 15, 30:
    plain, corrected = HdrHistogram(1, 3_600_000, 3), HdrHistogram(1, 3_600_000, 3)
    for _ in range(1000):
        plain.record_value(value)
        corrected.record_corrected_value(value, 10)
    for name, one in ("plain", plain), ("corrected", corrected):
        median = one.get_value_at_percentile(50)
        print(value, name, one.get_total_count(), one.get_min_value(), median, one.get_mean_value())
PYTHON
)
echo "$seen"
test "$seen" = "15 plain 1000 15 15 15.0
15 corrected 2000 5 5 10.0
30 plain 1000 30 30 30.0
30 corrected 3000 10 20 20.0"
