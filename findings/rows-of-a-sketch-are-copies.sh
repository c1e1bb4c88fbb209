#!/bin/sh
# cmsketch 0.1.11: with a width that is a power of two, eight rows of a Count-Min sketch answer as one row does.
#
# Expected: each row collides by a hash of its own, so that the least of eight rows errs less than one row, and the
# share of items whose error exceeds 2 N / width is at most 1/256. (The same sketch of pyprobables 0.7.0: none does.)
# Seen: all rows put the same items together, so that depth buys nothing: the answers of one row and of eight are equal
# for each of 20,000 addresses, and half of the errors exceed 2 N / width. At a width of 250 the rows differ.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cmsketch==0.1.11 pyprobables==0.7.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from cmsketch import CountMinSketchStr
from probables import CountMinSketch

items = [f"10.{a}.{b}.{c}" for a in range(4) for b in range(50) for c in range(100)]


def above(counts, width):
    return sum(count - 1 > 2 * len(items) / width for count in counts) / len(items)


for width in 256, 250:
    counts = {}
    for depth in 1, 8:
        sketch = CountMinSketchStr(width, depth)
        for item in items:
            sketch.insert(item)
        counts[depth] = [sketch.count(item) for item in items]
    other = CountMinSketch(width=width, depth=8)
    for item in items:
        other.add(item)
    theirs = [other.check(item) for item in items]
    same = "one row as eight" if counts[1] == counts[8] else "rows differ"
    print(width, same, f"{above(counts[8], width):.2f} {above(theirs, width):.2f}")
PYTHON
)
echo "$seen"
test "$seen" = "256 one row as eight 0.52 0.00
250 rows differ 0.00 0.00"
