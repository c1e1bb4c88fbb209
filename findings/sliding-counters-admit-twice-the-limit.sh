#!/bin/sh
# limits 5.8.0 and throttled-py 3.5.0: a sliding window of 20 per 10 s lets 39, and 38, through in 10 s.
#
# Expected: what is called a sliding window admits about 20 in any 10 s, as the exact `MovingWindowRateLimiter` does.
# Seen: 20 requests in the last moment of a window and one each 20 ms in the next, of which 19, and 18, are admitted: the
# window before counts for less and less of its number, although all of it is less than 10 s ago.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check limits==5.8.0 throttled-py==3.5.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from datetime import timedelta
from unittest.mock import patch

from limits import RateLimitItemPerSecond, strategies
from limits.storage import MemoryStorage
from throttled import MemoryStore, Throttled, per_duration

counter = strategies.SlidingWindowCounterRateLimiter(MemoryStorage())
log = strategies.MovingWindowRateLimiter(MemoryStorage())
other = Throttled(
    using="sliding_window", quota=per_duration(timedelta(seconds=10), limit=20), store=MemoryStore()
)
limiters = {
    "limits counter": lambda: counter.hit(RateLimitItemPerSecond(20, 10)),
    "limits log": lambda: log.hit(RateLimitItemPerSecond(20, 10)),
    "throttled-py": lambda: not other.limit("key").limited,
}
moments = [0.0, *(9.6 + request / 50 for request in range(20 + 500))]
for name, asks in limiters.items():
    times = []
    with patch("time.time") as clock:
        for moment in moments:
            clock.return_value = 1e9 + moment
            if asks():
                times.append(moment)
    print(name, max(sum(first <= time < first + 10 for time in times) for first in times))
PYTHON
)
echo "$seen"
test "$seen" = "limits counter 39
limits log 20
throttled-py 38"
