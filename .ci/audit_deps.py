"""Check the locked versions against the advisory database: ``python .ci/audit_deps.py``, which needs pip-audit.

Exits with 1 if a package has a known vulnerability. If the database cannot be reached, nothing is audited, and the
output says so: pip-audit itself exits with 0 then.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).resolve().parents[1] / "requirements-ci.txt"


def main() -> int:
    """Audit the lock, and return the exit status."""
    options = ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        print(f"skipped, nothing was audited: pip-audit could not ask the database: {last}")
        return 0
    faults = [(one["name"], one["version"], fault["id"]) for one in packages for fault in one.get("vulns", ())]
    skipped = [one for one in packages if "skip_reason" in one]
    for name, version, identity in faults:
        print(f"{name} {version}: {identity}")
    if len(skipped) == len(packages):
        print(f"skipped, nothing was audited: the database knows none of {len(packages)} packages, so it is not there")
    else:
        print(f"{len(packages) - len(skipped)} packages audited, {len(skipped)} unknown, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
