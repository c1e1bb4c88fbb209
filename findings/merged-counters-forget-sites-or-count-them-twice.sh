#!/bin/sh
# python3-crdt 1.0.3 and link.crdt 1.0: a counter that sites merge forgets a site, or counts it twice.
#
# Expected: a merge of states is "idempotent and associative" and replicas converge "to the same state"
# (python3-crdt): of two sites that counted 3 and 5, both have 8 after a merge in each direction, however often they
# merge.
# Seen: `GCounter.merge` visits the sites that the receiver knows: counts of others are left out, and a site that the
# sender does not know raises KeyError. Its `compare` is None where it should be True, and no `PNCounter` can be made.
# `Counter.merge` of link.crdt ("Convergent Replicated Data Types") adds up: a second merge of the same state has 13.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check python3-crdt==1.0.3 link.crdt==1.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from link.crdt.counter import Counter
from py3crdt.gcounter import GCounter
from py3crdt.pncounter import PNCounter


def grown(name, count, *heard_of):
    counter = GCounter(name)
    for node in (name, *heard_of):
        counter.add_new_node(node)
    for _ in range(count):
        counter.inc(name)
    return counter


first, second = grown("first", 3), grown("second", 5, "first")
first.merge(second)
print("first", first.query(), "compared with itself", first.compare(first))
try:
    second.merge(first)
except KeyError as error:
    print("second", second.query(), "KeyError", error)
try:
    PNCounter("first")
except RecursionError:
    print("PNCounter RecursionError")
first, second = Counter(), Counter()
first.increment(3)
second.increment(5)
values = []
for _ in range(3):
    first = Counter.merge(first, second)
    values.append(first.current)
print("link.crdt", *values)
PYTHON
)
echo "$seen"
test "$seen" = "first 3 compared with itself None
second 5 KeyError 'second'
PNCounter RecursionError
link.crdt 8 13 18"
