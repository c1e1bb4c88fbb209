#!/bin/sh
# tdigest 0.5.2.2: of times of 10 ms and 1,000 ms the first percentile is -465 ms, below the least and below the zeroth.
#
# Expected: a percentile lies between the least and the largest value that was added, and grows with its rank, as those
# of crick 0.0.8 and fastdigest 0.12.0 do.
# Seen: half of the requests take 10 ms, half 1,000 ms: two centroids, and a straight line through them on both sides.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tdigest==0.5.2.2 crick==0.0.8 fastdigest==0.12.0 numpy==2.4.6
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import crick
import fastdigest
from tdigest import TDigest

times, ranks = [10.0] * 500 + [1000.0] * 500, (0, 1, 10, 75, 100)
one, two, three = TDigest(), crick.TDigest(), fastdigest.TDigest()
one.batch_update(times)
for time in times:
    two.add(time)
    three.update(time)
print("tdigest", *(round(one.percentile(rank), 1) for rank in ranks))
for name, other in ("crick", two), ("fastdigest", three):
    print(name, *(round(float(other.quantile(rank / 100)), 1) for rank in ranks))
PYTHON
)
echo "$seen"
test "$seen" = "tdigest 10.0 -465.2 -287.0 1000.0 1000.0
crick 10.0 10.0 10.0 1000.0 1000.0
fastdigest 10.0 10.0 10.0 1000.0 1000.0"
