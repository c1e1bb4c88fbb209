#!/bin/sh
# datadog 0.56.0: with a sample rate, the client sends ten times what it added up, or nothing.
#
# Expected: of 100 increments with `sample_rate=0.1` a server that divides by the rate has about 100, plus or minus
# 30, since each increment is sent or left out by itself; a client that adds them up (`disable_aggregation=False`) has
# at least the same: it knows the exact count.
# Seen: it adds up all 100 and then tosses one coin for the sum: 1,000 at the server, or 0. A gauge's last value is
# lost as often: nine in ten. (Histograms, timings and distributions are sampled one by one before they are
# collected.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check datadog==0.56.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import random
from statistics import fmean, pstdev

from datadog.dogstatsd import DogStatsd


def of_server(packets):
    total = 0
    for packet in packets:
        head, *fields = packet.split("|")
        rates = [float(field[1:]) for field in fields if field.startswith("@")]
        total += float(head.split(":")[1]) / (rates or [1])[0]
    return total


for aggregated in False, True:
    totals = []
    for seed in range(500):
        random.seed(seed)
        packets, client = [], DogStatsd(disable_telemetry=True, disable_buffering=True, disable_aggregation=not aggregated)
        client._send = lambda packet, *rest: packets.append(packet) or True
        for _ in range(100):
            client.increment("requests", sample_rate=0.1)
        client.flush_aggregated_metrics()
        client.stop()
        totals.append(of_server(packets))
    spread = round(pstdev(totals))
    print("aggregated" if aggregated else "plain", round(fmean(totals)), spread, *sorted(set(totals))[:3], max(totals))
PYTHON
)
echo "$seen"
test "$seen" = "plain 101 31 30.0 40.0 50.0 210.0
aggregated 116 320 0 1000.0 1000.0"
