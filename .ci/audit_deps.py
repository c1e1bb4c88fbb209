"""Ask the advisory database about the versions of the lock: ``python .ci/audit_deps.py``, where pip-audit is installed.

Ends with 1 if one of them has a known fault. Where the database cannot be asked, nothing was audited, and it says so:
pip-audit itself ends with 0 then.
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
