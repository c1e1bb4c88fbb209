"""The shipped scenarios, each loaded once a process: that takes seconds."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from disttrack.adversaries.recorded import Recorded
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

ROWS = 3000


@contextmanager
def short_data() -> Iterator[None]:
    """Shorten the packaged data sets to their first rows: whoever only checks scenarios need not read 336,776."""
    path_of = Recorded.path
    with TemporaryDirectory() as folder:

        def path(self: Recorded) -> Path:
            whole = path_of(self)
            short = Path(folder) / whole.name
            if self.dataset is None:
                return whole
            if not short.exists():
                with zipfile.ZipFile(whole) as old, zipfile.ZipFile(short, "w") as new:
                    for name in old.namelist():
                        with old.open(name) as rows:
                            new.writestr(name, b"".join(islice(rows, ROWS)))
            return short

        with mock.patch.object(Recorded, "path", path):
            yield


@cache
def loaded() -> dict[str, Scenario]:
    """Return every shipped scenario by name, checked as `disttrack check` does; nobody changes them.

    Those of packaged data have the first rows of these alone.
    """
    with short_data():
        return {name: load(path) for name, path in shipped_scenarios().items()}
