#!/bin/sh
# river 0.26.1: `HeavyHitters` refuses the settings that its guarantee is about, and misses items with those it takes.
#
# Expected: lossy counting with `epsilon` well below `support` (its docstring) is made, and "all items whose true
# frequency exceeds support * n are output. There are no false negatives".
# Seen: a `support` above `epsilon` is refused with "'support' must be smaller than 'epsilon'.", so that an error of
# epsilon * n is larger than what is looked for: with the default settings an item of 1 in 333, three times the support,
# is not output, with or without forgetting.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check river==0.26.1
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from river.sketch import HeavyHitters

try:
    HeavyHitters(support=0.01, epsilon=0.001)
    print("taken")
except ValueError as error:
    print(error)
for fading in {}, {"fading_factor": 1.0}:
    sketch = HeavyHitters(**fading)
    for place in range(20_000):
        sketch.update("often" if place % 333 == 0 else place)
    print(61 > sketch.support * 20_000, "often" in dict(sketch.most_common()), sketch["often"])
PYTHON
)
echo "$seen"
test "$seen" = "'support' must be smaller than 'epsilon'.
True False 0.0
True False 0.0"
