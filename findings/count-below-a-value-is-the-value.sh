#!/bin/sh
# distogram 3.0.3: of 1,000 values near 100,000 it counts 34,751 up to the 40th; a merge forgets the extremes.
#
# Expected: `count_at` is "the number of elements present in the distribution up to value", between 0 and 1,000 and
# growing, as in the algorithm that it follows; the bounds of a merged histogram are those of both ("distributed").
# Seen: below the mean of the first bin half of that mean is taken in place of half of the bin's count. `merge` adds
# the means of the second histogram's bins, and its least and largest value are lost: 101,958 is called the largest of
# all, although 101,999 was added.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check distogram==3.0.3
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import random

import distogram


def histogram(values):
    made = distogram.Distogram(bin_count=10)
    for value in values:
        made = distogram.update(made, value)
    return made


values = [100_000 + value for value in range(1000)]
random.Random(1).shuffle(values)
one = histogram(values)
print("count", distogram.count(one), "first bin", round(one.bins[0][0]), one.bins[0][1])
for value in 100_010, 100_030, 100_040, 100_100:
    print("up to", value, round(distogram.count_at(one, value)))
merged = distogram.merge(one, histogram([1000 + value for value in values]))
print("merged", *(round(value) for value in distogram.bounds(merged)))
PYTHON
)
echo "$seen"
test "$seen" = "count 1000 first bin 100058 116
up to 100010 8688
up to 100030 26063
up to 100040 34751
up to 100100 102
merged 100000 101958"
