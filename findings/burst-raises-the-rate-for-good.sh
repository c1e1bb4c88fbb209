#!/bin/sh
# rush 2021.4.0: a burst that is allowed once is admitted each second, and a limit of one a second admits nothing.
#
# Expected: of a client that always asks, 10 a second with a `maximum_burst` of 10 ("allowed to exceed the rate in a
# single burst") admits some 10 a second once the burst is spent; a limit of 1 a second admits one a second.
# Seen: 20 a second for as long as it is asked, by both limiters (the periodic one: and one more); the generic cell rate
# algorithm refuses every request of a limit of 1, since what is left after a request has to be a whole one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rush==2021.4.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from datetime import datetime, timedelta, timezone

from rush.limiters import gcra, periodic
from rush.quota import Quota
from rush.stores import dictionary
from rush.throttle import Throttle

START = datetime(2026, 1, 1, tzinfo=timezone.utc)


class Store(dictionary.DictionaryStore):
    now = START

    def current_time(self, tzinfo=timezone.utc):
        return self.now


for count, burst in (10, 0), (10, 10), (1, 0):
    for limiter in gcra.GenericCellRatelimiter, periodic.PeriodicLimiter:
        store, admitted = Store(), [0] * 6
        throttle = Throttle(limiter=limiter(store=store), rate=Quota.per_second(count, maximum_burst=burst))
        for request in range(100 * len(admitted)):  # one each 10 ms
            store.now = START + timedelta(milliseconds=10 * request)
            admitted[request // 100] += not throttle.check("key", 1).limited
        print(limiter.__name__, count, burst, *admitted)
PYTHON
)
echo "$seen"
test "$seen" = "GenericCellRatelimiter 10 0 19 10 10 10 10 10
PeriodicLimiter 10 0 10 11 11 11 11 11
GenericCellRatelimiter 10 10 39 20 20 20 20 20
PeriodicLimiter 10 10 20 21 21 21 21 21
GenericCellRatelimiter 1 0 0 0 0 0 0 0
PeriodicLimiter 1 0 1 2 2 2 2 2"
