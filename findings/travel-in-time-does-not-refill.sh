#!/bin/sh
# time-machine 3.6.0 with pyrate-limiter 4.5.1 and throttled-py 3.5.0: after an hour's travel some limiters are still full.
#
# Expected: five of nine requests are admitted, and five of nine again an hour later, whatever moves the time in a test.
# Seen: with time-machine no request is admitted an hour later by pyrate-limiter and by `gcra` of throttled-py, which ask
# the monotonic clock, but five by `token_bucket` of the same library, which asks the other one. freezegun 1.5.5 moves
# both clocks. A test that passes with one of the two fails with the other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check time-machine==3.6.0 freezegun==1.5.5 \
  pyrate-limiter==4.5.1 throttled-py==3.5.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from datetime import datetime, timedelta, timezone

import freezegun
import pyrate_limiter
import time_machine
from throttled import MemoryStore, Throttled, per_duration

START = datetime(2030, 1, 1, tzinfo=timezone.utc)


def pyrate():
    limiter = pyrate_limiter.Limiter(pyrate_limiter.InMemoryBucket([pyrate_limiter.Rate(5, 10_000)]))
    return lambda: limiter.try_acquire("key", blocking=False)


def throttled(using):
    quota = per_duration(timedelta(seconds=10), limit=5)
    limiter = Throttled(using=using, quota=quota, store=MemoryStore())
    return lambda: not limiter.limit("key").limited


def admitted(asks):
    return sum(bool(asks()) for _ in range(9))


for name, make in {
    "pyrate": pyrate, "gcra": lambda: throttled("gcra"), "token_bucket": lambda: throttled("token_bucket")
}.items():
    with time_machine.travel(START, tick=False) as travel:
        asks = make()
        counts = [admitted(asks)]
        travel.shift(3600)
        counts.append(admitted(asks))
    with freezegun.freeze_time(START) as frozen:
        asks = make()
        counts.append(admitted(asks))
        frozen.tick(3600)
        counts.append(admitted(asks))
    print(name, *counts)
PYTHON
)
echo "$seen"
test "$seen" = "pyrate 5 0 5 5
gcra 5 0 5 5
token_bucket 5 5 5 5"
