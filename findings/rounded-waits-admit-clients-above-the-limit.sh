#!/bin/sh
# asgi-ratelimit 0.10.0: a limit of one request a second admits 11 of 20, and one of 60 a minute some 550.
#
# Expected: of a client that always asks, `SlidingRedisBackend` admits as many as the rule says: 1 each second with
# `Rule(second=1)`, 60 a minute with `Rule(second=5, minute=60)`.
# Seen: a refused request is admitted if less than half a second is left of the window: the time to wait is rounded to
# 0, which means admitted. Such requests are not counted. With two limits the wait is always that of the first one, so
# that a minute's limit, once spent, admits the second half of each second.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check asgi-ratelimit==0.10.0 \
    "fakeredis[lua]==2.41.0" redis==8.1.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import asyncio
from types import SimpleNamespace

import fakeredis
from ratelimit import Rule
from ratelimit.backends import slidingredis

slidingredis.time = clock = SimpleNamespace(now=0.0, time=lambda: clock.now)


async def admitted(rule, gap, seconds, windows):
    backend, counts = slidingredis.SlidingRedisBackend(fakeredis.FakeAsyncRedis()), [0] * windows
    for request in range(round(seconds * windows / gap)):
        clock.now = 1_800_000_000 + gap * request
        counts[int(gap * request / seconds)] += await backend.retry_after("/", "client", rule) == 0
    return counts


print("1 a second", *asyncio.run(admitted(Rule(second=1), gap=0.05, seconds=1, windows=6)))
print("60 a minute", *asyncio.run(admitted(Rule(minute=60), gap=0.25, seconds=60, windows=3)))
print("and 5 a second", *asyncio.run(admitted(Rule(second=5, minute=60), gap=0.1, seconds=60, windows=3)))
PYTHON
)
echo "$seen"
test "$seen" = "1 a second 11 11 11 11 11 11
60 a minute 62 62 62
and 5 a second 546 546 546"
