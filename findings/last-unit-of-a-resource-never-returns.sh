#!/bin/sh
# Akatosh 3.1.7: a resource of which the last unit was taken stays empty after it was given back.
#
# Expected: `distribute` gives a user 3 of 3 units and returns True, and `collect` ("all amount will be collected")
# takes them back: the level is 3 again, as it is where 1 or 2 of 3 units were taken.
# Seen: 3 of 3 are "Not enough resource" (False), but are given all the same, and the user is noted with the level
# after that: 0 units. `collect` takes 0 units back and returns True: a server that was busy once is busy until the
# end. The same with `distribute(user)`, which gives all that is left. A user that returns exactly what it has is told
# False.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check Akatosh==3.1.7
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from Akatosh.entity import Entity
from Akatosh.resource import Resource

for amount in [1], [2], [3], []:
    pool, user = Resource(3), Entity(at=0.0, till=9.0)
    given = pool.distribute(user, *amount)
    noted, level = pool.users[0][1], pool.level
    print("take", *(amount or ["all"]), given, noted, level, "collect", pool.collect(user), pool.level)
pool, user = Resource(3), Entity(at=0.0, till=9.0)
print("take 2", pool.distribute(user, 2), "collect 2", pool.collect(user, 2), pool.level)
PYTHON
)
echo "$seen"
test "$seen" = "take 1 True 1 2.0 collect True 3.0
take 2 True 2 1.0 collect True 3.0
take 3 False 0.0 0.0 collect True 0.0
take all True 0.0 0.0 collect True 0.0
take 2 True collect 2 False 3.0"
