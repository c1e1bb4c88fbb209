"""Compiled functions are kept on the disk, and read by the numba that has written them only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_what_another_numba_has_kept_is_compiled_anew(tmp_path: Path) -> None:
    """In a new process, where numba has imported nothing that only compiling needs."""
    (tmp_path / "mine.py").write_text("def twice(number):\n    return number * 2\n")
    script = (
        "from mine import twice\nfrom disttrack.mechanisms import compiler\n"
        "compiler.cache_from_source = lambda file: '/proc/none/here'\n"
        "(compiler.folder_of(twice) / 'of_another.nbc').write_bytes(b'')\n"
        "print(compiler.is_kept(twice), compiler.compiled(twice, lambda numba: (numba.int64,))(4))\n"
        "print(len([*compiler.folder_of(twice).rglob('*.nbc')]))\n"
    )
    place = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    for _ in range(2):  # the second one reads what the first one has compiled
        done = subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, **place}, capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == ("True 8\n2\n", "")
