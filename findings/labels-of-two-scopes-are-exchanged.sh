#!/bin/sh
# opentelemetry-exporter-prometheus 0.66b2: the requests of one library are shown under the labels of another one.
#
# Expected: two instrumentation scopes may each have a counter `requests` (scopes are namespaces of names): each
# series keeps its own labels, with the name of its scope as `otel_scope_name`, so that 11 requests come from scope
# "worker".
# Seen: the family has the label names of the first scope, and the values of the second one are put under them in
# order: the host is shown as the method, and the method as the name of the scope, so that 11 requests are of no scope
# "worker". Nothing is raised or logged. With the same label names in both scopes the series are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check opentelemetry-exporter-prometheus==0.66b2 \
    opentelemetry-sdk==1.45.2 prometheus-client==0.26.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import REGISTRY

for label in "host", "route":
    provider = MeterProvider(metric_readers=[PrometheusMetricReader()], shutdown_on_exit=False)
    web, worker = (provider.get_meter(name) for name in ("web", "worker"))
    web.create_counter("requests").add(5, {"method": "GET", "route": "/a"})
    worker.create_counter("requests").add(11, {"method": "PUT", label: "north"})
    for family in REGISTRY.collect():
        for sample in family.samples if family.name == "requests" else ():
            print(int(sample.value), *(f"{key}={value}" for key, value in sorted(sample.labels.items()) if value))
    provider.shutdown()
PYTHON
)
echo "$seen"
test "$seen" = "5 method=GET otel_scope_name=web route=/a
11 method=north otel_scope_name=PUT otel_scope_schema_url=worker
5 method=GET otel_scope_name=web route=/a
11 method=PUT otel_scope_name=worker route=north"
