#!/bin/sh
# sublinear-algorithms 0.2.0: the robust count of distinct items stops after 48 items of a stream of 1,000.
#
# Expected: `SketchSwitch` with epsilon 0.5 counts a stream of the length m that it was made for. It leaves a copy each
# time when its estimate grows by 1 + epsilon / 2, so that it needs log(m) / log(1 + epsilon / 2) = 31 copies.
# Seen: it makes log(m) / epsilon copies, about half as many (14): the 49th distinct item raises "list index out of
# range", although the copies answer exactly. Any m: the copies last for about the square root of it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sublinear-algorithms==0.2.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from sublinear.distinct_elements.sketch_switching.sketch_switch import SketchSwitch


class Exact:
    """A base algorithm without any error."""

    def __init__(self, n, epsilon, delta):
        self.items = set()

    def process_stream(self, stream):
        self.items.update(stream)

    def estimate_distinct_elements(self):
        return len(self.items)


for length in 1000, 1_000_000:
    sketch, taken = SketchSwitch(Exact, epsilon=0.5, delta=0.1, m=length, n=128), 0
    try:
        for item in range(length):
            sketch.process_stream([f"address {item}"])
            taken += 1
        print(length, sketch.t, "counted", sketch.get_estimate())
    except IndexError as error:
        print(length, sketch.t, taken, error)
PYTHON
)
echo "$seen"
test "$seen" = "1000 14 48 list index out of range
1000000 28 1110 list index out of range"
