"""Make the mutants and print a random sample of them: ``python .ci/mutant_sample.py SIZE SEED``."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from hashlib import sha256
from pathlib import Path


def make() -> None:
    """Let mutmut write its mutants, as `mutmut run` does first; existing files that have not changed stay."""
    from mutmut import __main__ as mutmut

    Path("mutants").mkdir(exist_ok=True)
    mutmut.set_mutant_under_test("mutant_generation")
    with redirect_stdout(sys.stderr):
        mutmut.copy_src_dir()
        mutmut.copy_also_copy_files()
        mutmut.create_mutants(1)


def made(folder: Path) -> list[str]:
    """Return the names of all mutants in a working folder of mutmut."""
    return [name for path in folder.rglob("*.meta") for name in json.loads(path.read_text("utf-8"))["exit_code_by_key"]]


def sample(names: list[str], size: int, seed: int) -> list[str]:
    """Return `size` names, each set of that size being equally likely, in random order.

    They are those of the smallest digests under the seed. A larger sample contains the smaller one, a change of one
    function does not affect the others, and a truncated sample is a smaller sample.

    >>> sample(["a", "b", "c", "d"], 2, seed=1)
    ['d', 'a']
    >>> sample(["d", "c", "b", "a"], 3, seed=1)
    ['d', 'a', 'b']
    """
    if not 0 < size <= len(names):
        raise SystemExit(f"a sample takes 1 to {len(names)} mutants; got {size}")
    return sorted(names, key=lambda name: sha256(f"{seed}:{name}".encode()).digest())[:size]


if __name__ == "__main__":
    make()
    print("\n".join(sample(made(Path("mutants")), int(sys.argv[1]), int(sys.argv[2]))))
