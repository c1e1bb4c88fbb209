#!/bin/sh
# heatmap-sketch 1.1.0: what was hot an hour ago stays above what is hot now; decay by hand changes nothing.
#
# Expected: with a half-life of 60 s `top` has the hottest items by "time-decayed popularity", as `check` has their
# heat; with `decay_interval_seconds=0` ("manual decay only") a call of `decay` takes a heat of 100 to "~50.0" (its
# docstring).
# Seen: with `lazy_decay` the cells decay, but not the heats that `top` returns: they are those of each item's last
# addition, so that 100 an hour ago ranks above 50 now, where `check` has 0 and 50. By hand the factor is 1, whatever
# the half-life. With a thread that decays each second both methods agree.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check heatmap-sketch==1.1.0 numpy==2.4.6
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from types import SimpleNamespace

from heatmap_sketch import HeatMap, heatmap

heatmap.time = clock = SimpleNamespace(now=0.0, time=lambda: clock.now)
lazy = HeatMap(half_life_seconds=60.0, lazy_decay=True, seed=1)
lazy.add("old", amount=100.0)
clock.now = 3600.0
lazy.add("new", amount=50.0)
print("check", *(f"{name} {lazy.check(name):.2f}" for name in ("old", "new")))
print("top", *(f"{name} {heat:.2f}" for name, heat in lazy.top(2)))
for half_life in 60.0, 1.0:
    manual = HeatMap(half_life_seconds=half_life, decay_interval_seconds=0, seed=1)
    manual.add("topic", amount=100.0)
    for _ in range(1000):
        manual.decay()
    print("half-life", half_life, "after 1000 decays", manual.check("topic"))
PYTHON
)
echo "$seen"
test "$seen" = "check old 0.00 new 50.00
top old 100.00 new 50.00
half-life 60.0 after 1000 decays 100.0
half-life 1.0 after 1000 decays 100.0"
