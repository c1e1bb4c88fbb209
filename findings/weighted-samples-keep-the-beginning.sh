#!/bin/sh
# weightreservoir 1.0: with weights that sum to 1, a weighted sample of a stream keeps hundreds of its first items.
#
# Expected: "weight>0" is all that is asked, and a sample depends on the ratios of the weights only: of 100,000 items of
# equal weight some 10 of a sample of 1,000 are among the first 1,000, whether each weight is 1 or 1/100,000.
# Seen: 289 are. The key of an item, u ** (1 / weight), rounds to 0 for all but 1 in 135 of these weights, and an item
# with key 0 never replaces one. (The logarithm of the key, log(u) / weight, has the same order and does not round.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check weightreservoir==1.0 numpy==2.4.6
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import numpy
from weightreservoir.reservoir import WeightSampling

items, size = 100_000, 1000
for weight in 1.0, 1 / items:
    numpy.random.seed(1)
    sample = WeightSampling(size)
    sample.addAll(range(items), [weight] * items)
    print(weight, len(sample.get()), sum(item < size for item in sample.get()))
PYTHON
)
echo "$seen"
test "$seen" = "1.0 1000 9
1e-05 1000 289"
