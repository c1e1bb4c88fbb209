#!/bin/sh
# morris-counter 0.1.2: copies of an approximate counter toss the same coins, and so do other parts of the program.
#
# Expected: the mean of 50 counters of 1,000 events each, filled one after the other, is nearer to 1,000 than one of them.
# Seen: each `MorrisCounter()` seeds the random numbers of the whole process with 3282: all copies end at one value, and
# what else the program draws begins anew with each counter that is made.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check morris-counter==0.1.2
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import random

from morris_counter import MorrisCounter

counts = []
for _ in range(50):
    counter = MorrisCounter(size=1)
    for _ in range(1000):
        counter.increment(b"event")
    counts.append(counter.count(b"event"))
print("values of 50 copies:", *sorted(set(counts)))
drawn = set()
for _ in range(5):
    MorrisCounter(size=1)
    drawn.add(random.random())
print("numbers drawn after each of 5:", len(drawn))
PYTHON
)
echo "$seen"
test "$seen" = "values of 50 copies: 1024
numbers drawn after each of 5: 1"
