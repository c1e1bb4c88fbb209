#!/bin/sh
# ns.py 0.4.3: a virtual clock server gives two flows with the same reserved rate 60,000 and 20,000 bit/s.
#
# Expected: of a link of 80,000 bit/s, of which each flow reserved a half (`vticks`, "the inverse of the desired bits per
# second data rate"), both flows get 40,000 when both ask for as much or more, as `WFQServer` gives them.
# Seen: the tag of a packet grows by one vtick, the time of one bit, and not by that of the packet, so that it is in effect
# its time of arrival: of packets of 1,000 bytes each 50 ms and each 150 ms the first flow gets three quarters of the link,
# and of packets of 100 and 1,000 bytes each 10 ms a tenth of the other's. (0.4.3 is the newest for Python below 3.14.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ns.py==0.4.3 simpy==4.1.2
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import simpy
from ns.packet.packet import Packet
from ns.scheduler.virtual_clock import VirtualClockServer
from ns.scheduler.wfq import WFQServer

RATE, SECONDS = 80_000, 100


class Sink:
    def __init__(self):
        self.served = [0, 0]

    def put(self, packet):
        self.served[packet.flow_id] += packet.size


def sends(env, server, flow, size, gap):
    number = 0
    while True:
        server.put(Packet(env.now, size, number, flow_id=flow))
        number += 1
        yield env.timeout(gap)


for flows in ((1000, 0.05), (1000, 0.15)), ((100, 0.01), (1000, 0.01)):
    for kind, shares in (VirtualClockServer, [2 / RATE, 2 / RATE]), (WFQServer, [1, 1]):
        env = simpy.Environment()
        server = kind(env, RATE, shares)
        server.out = Sink()
        for flow, (size, gap) in enumerate(flows):
            env.process(sends(env, server, flow, size, gap))
        env.run(until=SECONDS)
        print(kind.__name__, *(8 * size // SECONDS for size in server.out.served))
PYTHON
)
echo "$seen"
test "$seen" = "VirtualClockServer 60000 20000
WFQServer 40000 40000
VirtualClockServer 7272 72720
WFQServer 40000 39920"
