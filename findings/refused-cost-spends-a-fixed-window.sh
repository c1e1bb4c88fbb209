#!/bin/sh
# limits 5.8.0: a request that a fixed window refuses because of its cost spends the window; other strategies keep it.
#
# Expected: a hit that is refused takes nothing, so that cheaper ones after it are still admitted, by each strategy.
# Seen: after a hit of cost 8 of 10 and a second one, which is refused, a hit of cost 2 is refused by the fixed window
# alone: its counter is at 16. A single refused hit of cost 20 leaves nothing of the whole window.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check limits==5.8.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from limits import RateLimitItemPerMinute, strategies
from limits.storage import MemoryStorage

for name in ("FixedWindowRateLimiter", "MovingWindowRateLimiter", "SlidingWindowCounterRateLimiter"):
    limiter, item = getattr(strategies, name)(MemoryStorage()), RateLimitItemPerMinute(10)
    hits = [limiter.hit(item, "first", cost=cost) for cost in (8, 8, 2)]
    limiter.hit(item, "second", cost=20)
    print(name, *hits, sum(limiter.hit(item, "second") for _ in range(10)))
PYTHON
)
echo "$seen"
test "$seen" = "FixedWindowRateLimiter True False False 0
MovingWindowRateLimiter True False True 10
SlidingWindowCounterRateLimiter True False True 10"
