#!/bin/sh
# AppMetrics 0.5.0: one request each 9.9 s is metered as one each 5 s, by its averages of one, five and fifteen minutes.
#
# Expected: the "moving average throughputs" of a client that sends one request each 9.9 s settle at 0.101 per second,
# the mean that the meter returns beside them, as those of pyformance 0.4 do.
# Seen: 0.2 per second. Of the time since the last tick whole intervals of 5 s are counted and the rest is dropped,
# since the tick is then set to the present: each request is all that came in 5 s. One each 2.4 s is metered as 0.6
# and not 0.417, one each second as 1.2.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check AppMetrics==0.5.0 pyformance==0.4
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from types import SimpleNamespace

from appmetrics import meter
from pyformance.meters import Meter

clock = SimpleNamespace(now=0.0, time=lambda: clock.now)
meter.time = clock
for gap in 9.9, 5.1, 2.4, 1.0:
    one, other = meter.Meter(), Meter(clock=clock)
    for _ in range(5000):
        clock.now += gap
        one.notify(1)
        other.mark()
        rate = other.get_fifteen_minute_rate()
    rates = one.get()
    print(gap, *(f"{rates[name]:.3f}" for name in ("mean", "one", "five", "fifteen")), f"{rate:.3f}")
PYTHON
)
echo "$seen"
test "$seen" = "9.9 0.101 0.200 0.200 0.200 0.101
5.1 0.196 0.200 0.200 0.200 0.196
2.4 0.417 0.600 0.600 0.600 0.417
1.0 1.000 1.200 1.200 1.198 1.000"
