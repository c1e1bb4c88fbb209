#!/bin/sh
# simulus 1.2.1: of a simulation that starts at 1,000, a server that is busy half of the time is busy a third of it.
#
# Expected: `init_time` moves the clock alone: of a resource with a customer of 10 s each 20 s, "the average value
# over time" of those in service is 0.5 and the rate of arrivals 0.05, whenever the simulation starts.
# Seen: both are divided by the time on the clock and not by the time since the start: 0.333 for 0.5 with a start of
# 1,000, and -1 with one of -3,000.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check simulus==1.2.1
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import simulus

for start in 0, 1000, -3000:
    simulator = simulus.simulator(init_time=start)
    collector = simulus.DataCollector(in_services="timeseries", arrivals="timemarks")
    server = simulator.resource(collect=collector)

    def customer():
        with server:
            simulator.sleep(10)

    def customers():
        while True:
            simulator.process(customer)
            simulator.sleep(20)

    simulator.process(customers)
    simulator.run(2000)
    end = simulator.now
    print(start, end, f"{collector.in_services.avg_over_time(end):.3f} {collector.arrivals.rate(end):.3f}")
PYTHON
)
echo "$seen"
test "$seen" = "0 2000 0.500 0.050
1000 3000 0.333 0.033
-3000 -1000 -1.000 -0.100"
