"""The counters whose estimates are the truth plus a linear map of their noise."""

from __future__ import annotations

from disttrack.mechanisms import COUNTERS

LINEAR = [kind for kind in COUNTERS if kind not in {"randomized-response", "sparse", "sparse-infinite"}]
