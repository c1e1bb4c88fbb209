#!/bin/sh
# sketch-oxide 0.1.6: a sliding window that holds 5,000 events is counted as 1,020, with bounds 1,004 and 1,036.
#
# Expected: `ExponentialHistogram` with epsilon 0.05 counts a window within "guaranteed relative error bounds" of
# (1 ± epsilon), and the true count lies between the two bounds that it returns with its estimate.
# Seen: they hold for events of different moments. Where several come at one time, counts are lost: 50 at once each 10
# units, with `insert(time, 50)`, end at a fifth of the true number, and 500 at once each 100 units, with an insert each,
# below three quarters. `SlidingWindowCounter` of the same library ("using Exponential Histogram") stays within epsilon.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sketch-oxide==0.1.6
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from sketch_oxide import ExponentialHistogram, SlidingWindowCounter

WINDOW = 1000
for burst, gap, together in (1, 1, False), (50, 10, True), (500, 100, False):
    histogram, counter = ExponentialHistogram(WINDOW, 0.05), SlidingWindowCounter(WINDOW, 0.05)
    worst, outside, moments = (1.0,), 0, range(1, 300 * gap, gap)
    for time in moments:
        for _ in range(1 if together else burst):
            histogram.insert(time, burst if together else 1)
        for _ in range(burst):
            counter.increment(time)
        estimate, low, high = histogram.count(time)
        true = burst * sum(time - WINDOW < moment <= time for moment in moments)  # or one moment more, at the far end
        outside += not (low <= true + burst and true <= high)
        worst = min(worst, (estimate / true, time, true, estimate, low, high, counter.count(time)))
    print(burst, gap, together, outside, *worst[1:])
PYTHON
)
echo "$seen"
test "$seen" = "1 1 False 0
50 10 True 170 1551 5000 1020 1004 1036 5048
500 100 False 183 4901 5000 3624 3496 3752 5416"
