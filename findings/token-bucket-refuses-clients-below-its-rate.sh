#!/bin/sh
# throttled-py 3.5.0: a token bucket refuses two of five requests of a client that asks more slowly than it is filled.
#
# Expected: at 0.9 tokens per second and a request each 1.2 s, 0.83 per second, none is refused.
# Seen: 604 of 1,000 are admitted; `gcra` with the same quota admits all. Elapsed seconds and new tokens are rounded down,
# and the clock of the bucket moves at each admission, so that what is rounded off is lost.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check throttled-py==3.5.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from datetime import timedelta
from unittest.mock import patch

from throttled import MemoryStore, Throttled, per_duration

for using in ("token_bucket", "gcra"):
    with patch("time.time") as clock, patch("time.monotonic") as other:
        limiter = Throttled(using=using, quota=per_duration(timedelta(seconds=10), limit=9), store=MemoryStore())
        admitted = 0
        for request in range(1000):
            clock.return_value = other.return_value = 2e9 + 1.2 * request
            admitted += not limiter.limit("key").limited
        print(using, admitted)
PYTHON
)
echo "$seen"
test "$seen" = "token_bucket 604
gcra 1000"
