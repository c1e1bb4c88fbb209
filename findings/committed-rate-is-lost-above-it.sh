#!/bin/sh
# ns.py 0.4.3: of a flow slightly above its committed rate of 8,000 bit/s, 224 bit/s are green.
#
# Expected: of a flow of 9,000 bit/s, `TwoRateTokenBucketShaper` (a bucket for the committed rate, one for the peak rate
# of 16,000 bit/s) colours 8,000 bit/s green and 1,000 yellow: a yellow packet takes of the peak bucket alone (RFC 2698).
# Seen: a yellow packet also empties the committed bucket. Green falls from 7,000 bit/s to 224 where the flow grows from
# 7,000 to 9,000, and on to 56 at 15,000. (0.4.3 is the newest for Python below 3.14.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ns.py==0.4.3 simpy==4.1.2
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from collections import Counter
from types import SimpleNamespace

import simpy
from ns.packet.packet import Packet
from ns.shaper.two_rate_token_bucket import TwoRateTokenBucketShaper

SECONDS, SIZE = 1000, 1000  # of the game; bytes of a packet


def sends(env, shaper, rate):
    number = 0
    while True:
        shaper.put(Packet(env.now, SIZE, number))
        number += 1
        yield env.timeout(8 * SIZE / rate)


for rate in 7000, 9000, 15_000:
    env, colours = simpy.Environment(), Counter()
    shaper = TwoRateTokenBucketShaper(env, cir=8000, cbs=4000, pir=16_000, pbs=4000)
    shaper.out = SimpleNamespace(put=lambda packet: colours.update([packet.color]))
    env.process(sends(env, shaper, rate))
    env.run(until=SECONDS)
    print(rate, *(f"{colour} {8 * SIZE * count // SECONDS}" for colour, count in sorted(colours.items())))
PYTHON
)
echo "$seen"
test "$seen" = "7000 green 7008
9000 green 224 yellow 8776
15000 green 56 yellow 14952"
