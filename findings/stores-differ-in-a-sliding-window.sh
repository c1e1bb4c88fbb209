#!/bin/sh
# throttled-py 3.5.0 on Redis and in memory: the same limiter, the same requests, other answers.
#
# Expected: of a client that always asks, each window of `sliding_window` admits the same number on both stores.
# Seen: 20, 20, 20, 20 on Redis (fakeredis 2.41.0 with Lua) and 20, 19, 19, 19 in memory. The store in memory writes down
# the first request of a window before it looks whether it is refused, as it is: the window before is still full.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check throttled-py==3.5.0 'fakeredis[lua]==2.41.0'
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import os
import time
from datetime import timedelta
from threading import Thread
from unittest.mock import patch

import fakeredis
from throttled import MemoryStore, RedisStore, Throttled, per_duration

server = fakeredis.TcpFakeServer(("127.0.0.1", 0), server_type="redis")
Thread(target=server.serve_forever, daemon=True).start()
address = f"redis://127.0.0.1:{server.server_address[1]}"
for name, store in {"memory": MemoryStore(), "redis": RedisStore(address)}.items():
    limiter = Throttled(using="sliding_window", quota=per_duration(timedelta(seconds=10), limit=20), store=store)
    counts = []
    with patch("throttled.utils.time", wraps=time) as clock:
        for window in range(4):
            admitted = 0
            for request in range(500):
                clock.time.return_value = 1e9 + 10 * window + request / 50
                admitted += not limiter.limit("key").limited
            counts.append(admitted)
    print(name, *counts, flush=True)
os._exit(0)  # without waiting for the server's threads
PYTHON
)
echo "$seen"
test "$seen" = "memory 20 19 19 19
redis 20 20 20 20"
